// Runs the program in a thread of its own, so that the page stays responsive.

import init, { contents, convert, failure, start } from "./reversion_playground.js";

self.onmessage = ({ data: { number, text, options } }) => {
  try {
    self.postMessage({ number, answer: JSON.parse(convert(text, JSON.stringify(options))) });
  } catch (error) {
    self.postMessage({ number, failure: failure() || String(error) });
  }
};

try {
  await init();
  start();
  self.postMessage({ contents: JSON.parse(contents()) });
} catch (error) {
  self.postMessage({ unusable: String(error) });
}
