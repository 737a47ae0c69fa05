// Runs the program in a thread of its own, so that the page stays responsive.

/** The program. Its buffers are those of docs/src/how-to/other-languages.md. */
let program;

/** Takes the text of a buffer. */
const text = (buffer) => {
  const bytes = new Uint8Array(program.memory.buffer, buffer >>> 0, program.reversion_length(buffer));
  const read = new TextDecoder().decode(bytes);
  program.reversion_free(buffer);
  return read;
};

const call = (name, request) => {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const buffer = program.reversion_allocate(bytes.length);
  if (buffer === 0) throw new Error("there is no memory for the text");
  new Uint8Array(program.memory.buffer, buffer >>> 0, bytes.length).set(bytes);
  const { ok, error } = JSON.parse(text(program[name](buffer)));
  if (error) throw new Error(error.message);
  return ok;
};

self.onmessage = ({ data: { number, text: pasted, options } }) => {
  try {
    self.postMessage({ number, answer: call("playground_convert", { text: pasted, options }) });
  } catch (error) {
    self.postMessage({ number, failure: text(program.reversion_failure()) || String(error) });
  }
};

try {
  const file = await fetch(new URL("reversion_playground.wasm", import.meta.url));
  program = (await WebAssembly.instantiate(await file.arrayBuffer())).instance.exports;
  self.postMessage({ contents: call("playground_contents", {}) });
} catch (error) {
  self.postMessage({ unusable: String(error) });
}
