import { admin, isSignedOut, reasonOf } from './admin.js';
import { announce } from './announce.js';

/** Ends the session of this browser, in all of its tabs. A failure is announced, and the page stays. */
export function signOut(): void {
  admin('DELETE', '/console/session').then(
    () => {
      isSignedOut.value = true;
      announce('Signed out');
    },
    (error: unknown) => announce(`Not signed out: ${reasonOf(error)}`),
  );
}
