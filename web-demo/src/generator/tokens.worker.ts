// Counts tokens as `o200k_base` cuts them. The table is large, so it is loaded here and after everything else.

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

import type { CountRequest, CountResponse } from "./protocol.js";

self.onmessage = ({ data }: MessageEvent<CountRequest>): void => {
  // Texts of a listing that look like control tokens are text.
  const counts = data.texts.map((text) => countTokens(text, { disallowedSpecial: new Set() }));
  const response: CountResponse = { id: data.id, counts };
  self.postMessage(response);
};
self.postMessage("ready");
