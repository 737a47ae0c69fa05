// Returns the texts that can be seen and whose contrast is below 4.5 to 1 (WCAG 2.2, 1.4.3), each with its element and contrast.
const channels = (colour) => {
  const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
  return { rgb: [red, green, blue], alpha };
};
const luminance = (rgb) => {
  const [red, green, blue] = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const behind = (element) => {
  for (let one = element; one; one = one.parentElement) {
    const { rgb, alpha } = channels(getComputedStyle(one).backgroundColor);
    if (alpha === 1) return rgb;
    if (alpha > 0) throw new Error(`${one.className} has a translucent background`);
  }
  throw new Error("the page has no background");
};
const ratio = (colour, back) => {
  const [light, dark] = [luminance(channels(colour).rgb), luminance(back)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};
const faint = [];
const check = (element, pseudo, text) => {
  const found = ratio(getComputedStyle(element, pseudo).color, behind(element));
  if (found < 4.5) faint.push([element.className || element.tagName, text.trim().slice(0, 40), found]);
};
let checked = 0;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (walker.currentNode.data.trim() === "" || !element.checkVisibility()) continue;
  check(element, null, walker.currentNode.data);
  checked += 1;
}
for (const line of document.querySelectorAll(".line")) check(line, "::before", line.dataset.n);
if (checked < 20) throw new Error("the page has hardly any text");
return faint;
