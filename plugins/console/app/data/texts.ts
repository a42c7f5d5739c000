import { catalogue } from '../../../../core/web/language.js';

export const texts = catalogue({
  theServerDoesNotRespond: 'The server does not respond. Is it running?',
  theServerRespondedWith: (status: number) => `The server responded with ${status}.`,
  thisBrowserIsNowSigned: (replacedBy: string) => `This browser is now signed in as ${replacedBy}`,
  notForOperatorsWhoAre: 'Not for operators who are restricted to accounts: it concerns all accounts',
  needsThe: (includes: boolean, permission: string) => `Needs the ${includes ? 'permission' : 'role'} ${permission}`,
  yourRoles: (needed: string, roles: string) => `${needed}; your roles: ${roles || 'none'}`,
  signOutWhereYouHave: 'Sign out where you have signed in',
  signedOut: 'Signed out',
  notSignedOut: (reason: string) => `Not signed out: ${reason}`,
});
