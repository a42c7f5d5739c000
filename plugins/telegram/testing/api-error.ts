/** Fields of a refusal beside its code and text. */
export interface ErrorParameters {
  readonly retry_after?: number;
  readonly migrate_to_chat_id?: number;
}

/** The texts of codes that are refused without a text of their own. */
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden: bot was blocked by the user',
  404: 'Not Found',
  409: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  413: 'Request Entity Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** A refusal of the Bot API. */
export class ApiError extends Error {
  readonly code: number;
  readonly parameters: ErrorParameters | undefined;

  constructor(code: number, description?: string, parameters?: ErrorParameters) {
    const wait = parameters?.retry_after;
    super(description ?? (wait === undefined ? (DESCRIPTIONS[code] ?? 'Error') : `Too Many Requests: retry after ${wait}`));
    this.code = code;
    this.parameters = parameters;
  }

  get answer() {
    const { code, message, parameters } = this;
    return { status: code, body: { ok: false, error_code: code, description: message, ...(parameters && { parameters }) } };
  }
}

/** A 400 with the text that the Bot API puts after `Bad Request: `. */
export const badRequest = (description: string): ApiError => new ApiError(400, `Bad Request: ${description}`);
