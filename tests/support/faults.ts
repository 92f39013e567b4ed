import type { ServerResponse } from "node:http";

/** One way in which an upstream goes wrong, once a request is there. */
export type Fault = (response: ServerResponse) => void;

/** How much an endless body has at most, so that a reader without a cap fails instead of running forever. */
const ENDLESS_BYTES = 300 * 1024 * 1024;

export const neverAnswers: Fault = () => {};

export const stallsInTheBody: Fault = (response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
  response.write("{");
};

export const resets: Fault = (response) => {
  response.socket?.resetAndDestroy();
};

export const closesWithoutAnswer: Fault = (response) => {
  response.destroy();
};

export const sendsAShortBody: Fault = (response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
  response.write('{"client_secret":"seti_', () => response.destroy());
};

/** @param sent counts the bytes that left */
export function sendsAnEndlessBody(sent = { bytes: 0 }): Fault {
  return (response) => {
    const chunk = Buffer.alloc(64 * 1024, " ");
    response.writeHead(200, { "Content-Type": "application/json" });
    const more = () => {
      while (sent.bytes < ENDLESS_BYTES && !response.destroyed) {
        sent.bytes += chunk.byteLength;
        if (!response.write(chunk)) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  };
}

export function redirects(status: number, location: string): Fault {
  return (response) => response.writeHead(status, { Location: location }).end();
}

/** Answers with a body that is not the contract's. */
export function answersWith(status: number, body: string, type = "application/json"): Fault {
  return (response) => response.writeHead(status, { "Content-Type": type }).end(body);
}

export const answersNothing: Fault = (response) => response.writeHead(204).end();
