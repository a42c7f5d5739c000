/** The outcome of an attempt, as attempts and, without `response`, deliveries have it. */
interface Outcome {
  /** The status of the endpoint or, without a response, the one of the retry policy. */
  readonly status: number;
  readonly no_response?: string | null | undefined;
  /** Null without a response. Attempts of older releases have no other sign of that. */
  readonly response?: string | null | undefined;
}

const words: Readonly<Record<string, string>> = {
  name_server: 'name server failed',
  tls: 'TLS',
  invalid_url: 'invalid URL',
  failed: 'no response',
};

/** The outcome of an attempt for people: the status that the endpoint sent, or why it sent none, such as `refused` or `timed out`. */
export function outcomeText({ status, no_response: reason, response }: Outcome): string {
  const why = reason ?? (response === null ? 'failed' : undefined);
  return why === undefined ? String(status) : (words[why] ?? why.replaceAll('_', ' '));
}
