/** What a model family's Python classes fix in code, and its files therefore do not say (or say otherwise). */
export interface ProcessorArchitecture {
  /** config.json's model_type. */
  modelType: string;
  /** How text is cut into words before BPE. The Python class forces it, whatever tokenizer.json has. */
  splitPattern: string;
  /** Special tokens a tokenizer has when its configuration does not name others. */
  defaultSpecialTokens: Readonly<Record<string, string>>;
  /** What ends an answer; the last supervised token. */
  endToken: string;
  /** Stands once for each image in the rendered prompt, then t*h*w/merge^2 times in the ids. */
  imageToken: string;
  /** Placeholders of media that we do not encode: a row with one of them is refused. */
  foreignPlaceholders: readonly string[];
}
