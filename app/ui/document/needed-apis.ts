// What scripts need beyond the browsers of 2016. Where one is missing, no script starts, and the page works as with scripts
// off. tests/workers/pages/built-scripts.test.ts compares it with the built files.
export const NEEDED_APIS = [
  "globalThis",
  "fetch",
  "AbortController",
  "FormData.prototype.getAll",
  "Headers",
  "Request",
  "Response",
  "URL",
  "URLSearchParams",
  "ReadableStream.prototype.pipeThrough",
  "TextDecoder",
  "TextEncoder",
  "TransformStream",
  "InputEvent",
  "MutationObserver",
  // Without it, Conform takes its own requests for the visitor's.
  "SubmitEvent.prototype.submitter",
  "Array.prototype.flat",
  "Array.prototype.flatMap",
  "Object.entries",
  "Object.values",
  "Object.fromEntries",
  "Object.getOwnPropertyDescriptors",
  "Promise.prototype.finally",
  "String.prototype.padStart",
];
