/** Why a call is refused, in the words of the page of causes, the command line and the console. */
export interface Cause {
  /** The mistake or state that the caller meets, in one sentence. */
  readonly meaning: string;
  /** The one that can change it: the `caller`, or the `operator` of the platform. */
  readonly who: 'caller' | 'operator';
  /** The step to take, in one sentence. */
  readonly action: string;
  /** Whether the same call may succeed later although the caller changes nothing. */
  readonly retry: boolean;
}

/** Causes by the code that the header `X-Posthorn-Cause` of a response has. */
export type Causes = Readonly<Record<string, Cause>>;

/** A cause with the plugin, or `core`, that declares it. */
export interface DeclaredCause extends Cause {
  readonly cause: string;
  readonly plugin: string;
}

/** The header of every refusal that names its cause. */
export const CAUSE_HEADER = 'x-posthorn-cause';

/** A call that does not succeed as it is: the caller changes it, or first makes another one. */
export const mistake = (meaning: string, action: string): Cause => ({ meaning, who: 'caller', action, retry: false });

/** A call that does not fit a state that passes by itself. */
export const conflict = (meaning: string, action: string): Cause => ({ meaning, who: 'caller', action, retry: true });

/** A platform that cannot serve the call at the moment: the operator acts, and the caller repeats the call. */
export const outage = (meaning: string, action: string): Cause => ({ meaning, who: 'operator', action, retry: true });

/** A setting of the platform refuses the call: the operator changes it. */
export const setting = (meaning: string, action: string): Cause => ({ meaning, who: 'operator', action, retry: false });

/** Records that do not exist, or belong to another caller: `missing('webhook')` is the cause `webhook_not_found`. */
export const missing = (...nouns: readonly string[]): Causes =>
  Object.fromEntries(
    nouns.map((noun) => [
      `${noun.replaceAll(' ', '_').toLowerCase()}_not_found`,
      mistake(`There is no such ${noun}, or it belongs to another caller.`, `Check the id of the ${noun} in the call.`),
    ]),
  );
