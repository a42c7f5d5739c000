import { adminGet } from './admin-client.js';
import type { RunFile } from './run-file.js';

/** The name of the advice on a source that cannot be loaded. The terminal shows the problem when it occurs. */
export const SOURCE_NOT_LOADED = 'source_not_loaded';

/** Advice that was issued and neither dismissed nor fixed. */
export interface KeptAdvice {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly fix: string;
  readonly times: number;
  readonly ids: readonly { readonly kind: string; readonly id: string }[];
  readonly at: string;
}

/** Lists advice, newest first: all of it, or that on a delivery or a webhook. */
export async function listAdvice(
  run: RunFile,
  about: { readonly delivery?: string; readonly webhook?: string } = {},
): Promise<readonly KeptAdvice[]> {
  const { advice } = (await adminGet(run, `/advice?${new URLSearchParams(about)}`)) as { advice: readonly KeptAdvice[] };
  return advice;
}
