/** Names of models where there is little room; the whole stands in a title beside it. */

/** The last `parts` of a folder or hub id: `Qwen3.5-4B`. A hub id of two parts stays whole with 2, a folder becomes `demo/model`. */
export const shortModel = (name: string, parts = 1): string =>
  name.split(/[\\/]/).filter(Boolean).slice(-parts).join('/') || name;
