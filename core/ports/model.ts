/** A language model that generates the next message of a conversation. Failures are returned as values, never thrown. */
export interface ChatModel {
  generate(request: ModelRequest): Promise<ModelOutcome>;
}

/** A request to a model. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/** One message of the conversation. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls?: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly call: string; readonly name: string; readonly content: string };

/** A tool that the model may call. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A tool call by the model. `arguments` is the model's own text, which may be invalid JSON. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** The model's reply: text, tool calls, or both. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly tokens: { readonly input: number; readonly output: number };
}

/** Why the model gave no reply. */
export type ModelFailure =
  | 'model_timeout'
  | 'model_rate_limited'
  /** The vendor rejects the request: a bad token, an unknown model. Retrying cannot help. */
  | 'model_refused'
  | 'model_unavailable'
  /** The vendor's response cannot be read as a reply. */
  | 'model_bad_answer'
  /** A script or recording has no reply for this request. */
  | 'model_no_match'
  /** The vendor is unknown, or the packages it needs are not installed. */
  | 'model_not_available';

/** The result of a request to a model. */
export type ModelOutcome =
  | ({ readonly kind: 'reply' } & ModelReply)
  | { readonly kind: 'failed'; readonly code: ModelFailure; readonly reason: string };

/** How to reach a model. Hold the token only for the duration of a call. */
export interface ModelConnection {
  readonly vendor: string;
  readonly baseUrl: string | undefined;
  readonly token: string | undefined;
  /** For models without a vendor: the rules of a script, or recordings. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Creates models by vendor. */
export interface Models {
  /** For an unknown vendor, returns a model whose requests fail with `model_not_available`. */
  open(connection: ModelConnection): ChatModel;
}
