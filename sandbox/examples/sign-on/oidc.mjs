/**
 * A server whose operators sign in at an OpenID Connect provider, such as Keycloak or Entra ID. The console is at /messaging/console/.
 * Needs `npm install @hapi/hapi openid-client`. Environment variables: ISSUER, CLIENT_ID, CLIENT_SECRET, PUBLIC_URL, PORT (default: 4711).
 */
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import Hapi from '@hapi/hapi';
import * as oidc from 'openid-client';
import { createPlatform } from 'posthorn';
import { console as consolePlugin } from 'posthorn/plugins/console';

// The role that each group gives, by the claim `groups`: a list, or a text. A user in none of these groups may do nothing.
const ROLES = new Map(Object.entries({ 'messaging-admins': 'owner', 'messaging-desk': 'operator', staff: 'viewer' }));
const HOURS_8 = 8 * 3_600_000;

export async function start({ PORT = 4711, ISSUER, CLIENT_ID, CLIENT_SECRET, PUBLIC_URL = `http://127.0.0.1:${PORT}` }, options = {}) {
  const provider = await oidc.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, options);
  const canSignOut = provider.serverMetadata().end_session_endpoint !== undefined;
  const redirect_uri = `${PUBLIC_URL}/signed-in`;
  const server = Hapi.server({ port: PORT, host: '127.0.0.1' });
  // On the server, so that a sign-out also ends copies of the cookie. Several processes need a store that they share.
  const sessions = new Map();
  const sessionOf = ({ state }) => (sessions.get(state.session)?.endsAt > Date.now() ? sessions.get(state.session) : undefined);
  const cookie = { isSecure: redirect_uri.startsWith('https:'), path: '/', ignoreErrors: true };
  server.state('session', { ...cookie, isSameSite: 'Strict', ttl: HOURS_8 });
  // The response of the provider must fit these. Lax, because the browser comes back from another site.
  server.state('checks', { ...cookie, isSameSite: 'Lax', encoding: 'iron', password: randomBytes(32).toString('hex') });
  async function signIn(_, h) {
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const code_challenge = await oidc.calculatePKCECodeChallenge(verifier);
    const query = { redirect_uri, scope: 'openid profile', state, nonce, code_challenge, code_challenge_method: 'S256' };
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
    return h.redirect(oidc.buildAuthorizationUrl(provider, query).href).state('checks', checks);
  }
  async function signedIn({ url, state: { checks } }, h) {
    const answer = new URL(redirect_uri + url.search);
    const tokens = checks && (await oidc.authorizationCodeGrant(provider, answer, checks).catch((error) => console.error(error.message)));
    if (!tokens) return h.response('The sign-in has failed. <a href="/sign-in">Begin again</a>').code(403).unstate('checks');
    const userinfo = await oidc.fetchUserInfo(provider, tokens.access_token, tokens.claims().sub);
    const { sub, name = sub, groups } = { ...tokens.claims(), ...userinfo };
    const [id, roles] = [randomBytes(32).toString('base64url'), [groups].flat().flatMap((one) => ROLES.get(one) ?? [])];
    sessions.set(id, { user: { id: sub, name, roles }, signOut: { id_token_hint: tokens.id_token }, endsAt: Date.now() + HOURS_8 });
    return h.redirect('/messaging/console/').unstate('checks').state('session', id);
  }
  function signOut({ state }, h) {
    const query = sessions.get(state.session)?.signOut;
    sessions.delete(state.session);
    return h.redirect(canSignOut ? oidc.buildEndSessionUrl(provider, query).href : '/messaging/console/').unstate('session');
  }
  for (const [path, handler] of Object.entries({ '/sign-in': signIn, '/signed-in': signedIn, '/sign-out': signOut }))
    server.route({ method: 'GET', path, handler });
  const operators = { authenticate: (request) => sessionOf(request)?.user, signOutUrl: '/sign-out' };
  const platform = createPlatform({ plugins: [consolePlugin({ signInUrl: '/sign-in' })], operators, publicUrl: `${PUBLIC_URL}/messaging` });
  await server.register(platform.hapiPlugin, { routes: { prefix: '/messaging' } });
  await server.start();
  return server;
}

if (realpathSync(process.argv[1] ?? '.') === import.meta.filename) console.log((await start(process.env)).info.uri);
