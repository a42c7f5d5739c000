/** A language model that is asked for the next message. What comes of it is a value, never an exception. */
export interface ChatModel {
  generate(request: ModelRequest): Promise<ModelOutcome>;
}

/** What a model is asked. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/** One message of what a model is shown. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls?: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly call: string; readonly name: string; readonly content: string };

/** Something a model may want called. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A tool the model wants called; the arguments are as the model wrote them, which need not be JSON. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What a model answered: text, tools it wants called, or both. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly tokens: { readonly input: number; readonly output: number };
}

/** Why a model has no answer. */
export type ModelFailure =
  | 'model_timeout'
  | 'model_rate_limited'
  /** The vendor does not take the request: a bad token, an unknown model. Trying again cannot help. */
  | 'model_refused'
  | 'model_unavailable'
  /** What came back is no answer. */
  | 'model_bad_answer'
  /** A script or a recording has no answer to this. */
  | 'model_no_match'
  /** The packages it needs are not installed, or nobody knows the vendor. */
  | 'model_not_available';

/** What came of a request to a model. */
export type ModelOutcome =
  | ({ readonly kind: 'reply' } & ModelReply)
  | { readonly kind: 'failed'; readonly code: ModelFailure; readonly reason: string };

/** How a model is reached. The token is in here only while a call is made. */
export interface ModelConnection {
  readonly vendor: string;
  readonly baseUrl: string | undefined;
  readonly token: string | undefined;
  /** What a model without a vendor answers with: rules of a script, or recordings. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Models by their vendors. */
export interface Models {
  /** A vendor that nobody knows gives a model that says so. */
  open(connection: ModelConnection): ChatModel;
}
