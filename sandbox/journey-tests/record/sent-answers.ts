import type { Json } from '#core';
import { Mask } from '../cassettes/mask.js';
import { type StubbedResponse, writtenResponse } from '../explore/stubs.js';

/** A request that a simulation sent, and its response: the field `http_answers` of a simulation. */
export interface SentAnswer {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The responses as mocks, with credentials masked. Equal ones after each other are one mock, which repeats. */
export function mocksOf(answers: readonly SentAnswer[]): readonly Json[] {
  const mask = new Mask();
  for (const { url, body, headers, status } of answers) mask.learn({ url, headers: {}, body: null }, { status, headers, body });
  const mocks = answers.map(({ method, url, status, headers, body }): Json => {
    const type = headers['content-type'];
    const response: StubbedResponse = {
      status,
      headers: type === undefined ? {} : { 'content-type': type.split(';')[0]!.trim() },
      body: mask.text(body ?? ''),
    };
    // Secrets are placeholders, and a request to a mock has them too.
    return { method, url: mask.text(url).split('#')[0]!, response: writtenResponse(response) };
  });
  return mocks.filter((mock, i) => i === 0 || JSON.stringify(mock) !== JSON.stringify(mocks[i - 1]));
}
