/** The answer of `POST /journeys/{uuid}/simulated-turns`. */
export interface Turn {
  readonly id: string;
  readonly after: string | null;
  readonly at: string;
  readonly state: 'waiting_for_input' | 'end' | 'expired';
  readonly failure: { readonly code: string; readonly reason: string } | null;
  readonly timeout_in_ms: number | null;
  readonly expires_in_ms: number | null;
  readonly message: string;
  readonly card: string;
  readonly options: readonly string[];
  readonly skill_calls: readonly { readonly name: string; readonly arguments: unknown; readonly output: unknown }[];
  readonly actions: readonly string[];
  readonly http_calls: readonly HttpCall[];
  readonly model_calls: readonly ModelCall[];
  readonly contact: object;
  readonly context: object;
  readonly changes: readonly Change[];
  readonly events: readonly { readonly type: string; readonly at?: { readonly card?: string } }[];
  readonly path: readonly { readonly card: string; readonly exit: string; readonly to: string | null }[];
  readonly warnings: readonly { readonly block: string; readonly expression: string; readonly reason: string; readonly line?: number }[];
  readonly messages: readonly object[];
  readonly elapsed_ms: number;
}

export interface Change {
  readonly path: readonly string[];
  readonly change: 'added' | 'changed' | 'removed';
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly status: number | null;
  readonly mocked: boolean;
  readonly failures: readonly string[];
  /** From 1. */
  readonly mock: number | null;
  readonly nearest: string | null;
  readonly answer: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string | null } | null;
}

export interface ModelReply {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly tokens: { readonly input: number; readonly output: number };
}

export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly name?: string;
  readonly calls?: ModelReply['calls'];
}

export interface ModelCall {
  readonly connection: string;
  readonly answered_by: 'connection' | 'script' | 'recordings' | 'given';
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: object }[];
  readonly reply: ModelReply | null;
  readonly failure: { readonly code: string; readonly reason: string } | null;
  readonly elapsed_ms: number;
}

export interface Connection {
  readonly uuid: string;
  readonly name: string;
  readonly vendor: string;
  readonly model: string;
  readonly has_token: boolean;
  readonly record?: boolean;
}

/** A reply that a connection recorded, with its request as text. */
export interface Recording {
  readonly key: string;
  readonly request: string;
  readonly reply: ModelReply;
}
