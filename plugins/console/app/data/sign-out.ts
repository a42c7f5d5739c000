import { admin, isSignedOut, reasonOf } from './admin.js';
import { announce } from './announce.js';
import { me } from './operator.js';
import { texts } from './texts.js';

/** Whether the operator is that of a key: the session was opened with a code, and the console can end it. */
const isOfKey = (id: string): boolean => id === 'key' || id.startsWith('key:');

/** Why the console cannot sign the operator out; undefined if it can. */
export function whyNotSignedOut(): string | undefined {
  if (!me.value || me.value.sign_out_url !== null || isOfKey(me.value.operator.id)) return undefined;
  return texts.signOutWhereYouHave;
}

/**
 * Ends the session of this browser, in all of its tabs, and opens the sign-out of the host application. A failure is announced, and the page
 * stays.
 */
export function signOut(): void {
  const url = me.value?.sign_out_url ?? null;
  admin('DELETE', '/console/session').then(
    () => {
      isSignedOut.value = true;
      announce(texts.signedOut);
      if (url !== null) location.assign(url);
    },
    (error: unknown) => announce(texts.notSignedOut(reasonOf(error))),
  );
}
