import { type ContactRecord, type NumberRecord, PlatformError, type PluginContext, type Transaction } from '#core';
import type { Webchats } from '../connection.js';
import type { WebchatSettings } from '../options.js';
import type { SessionRecord } from '../records.js';
import { type GivenUser, type ProvedUser, provedUser } from './identity.js';
import { anonymousVisitor, type Sessions } from './sessions.js';

/** Opens sessions: who a visitor is, and what belongs to whom after a login. */
export function createPeople(context: PluginContext, { sessions, webchats }: { sessions: Sessions; webchats: Webchats }) {
  const { store, contacts, conversations, clock } = context;

  return {
    /**
     * The session of a token, or a new one, with its token. `renewed`: the given one is not valid any more, so that the visitor is a new one.
     * @param count counts a new session, before it is stored @throws PlatformError
     */
    async open(
      { number, settings }: { number: NumberRecord; settings: WebchatSettings },
      { token, user: given }: { token?: string | undefined; user?: GivenUser | undefined },
      count: () => void,
    ): Promise<{ session: SessionRecord; token?: string; renewed: boolean }> {
      const known = await sessions.of(number.uuid, token);
      const user = given && (await proved(number, given));
      const visitor = user ? `user:${user.id}` : (known?.visitor ?? anonymousVisitor());
      if (settings.require_identity && !visitor.startsWith('user:'))
        throw new PlatformError(401, 'webchat_identity_required', 'This web chat serves identified users only');
      const isKnown = known?.visitor === visitor;
      if (!isKnown) count();
      if (isKnown && !user) return { session: known, renewed: false };
      return store.transaction(async (tx) => {
        if (user) await identified(tx, number, user, visitor, known);
        if (isKnown) return { session: known, renewed: false };
        // The token of another visitor on the same browser is not needed after a login.
        if (known) sessions.end(tx, known);
        const begun = sessions.begin(tx, number.uuid, visitor);
        return { ...begun, renewed: token !== undefined && !known && !user };
      });
    },

    /** The contact of a visitor; undefined before the first message of an anonymous one. */
    contactOf: ({ number, visitor }: SessionRecord): Promise<ContactRecord | undefined> => contacts.known(number, visitor),
  };

  async function proved({ uuid }: NumberRecord, given: GivenUser): Promise<ProvedUser> {
    const secrets = await webchats.secretsOf(uuid);
    if (secrets.length === 0)
      throw new PlatformError(401, 'webchat_no_identity', 'This web chat has no identity secret, so it knows no users');
    return provedUser(given, secrets, clock.now());
  }

  /** Updates the contact of a user. The conversation that it had before the login becomes its own, if it has none. */
  async function identified(tx: Transaction, number: NumberRecord, user: ProvedUser, visitor: string, before?: SessionRecord) {
    const { name, fields } = user;
    const contact = await contacts.findOrCreate(tx, number, { id: visitor, address: visitor, name });
    const changed = Object.fromEntries(Object.entries(fields).filter(([key, value]) => contact.fields[key] !== value));
    if (Object.keys(changed).length > 0) await contacts.setFields(tx, number, contact.uuid, changed);
    if (!before?.visitor.startsWith('web:')) return;
    const anonymous = await contacts.current(tx, number, before.visitor);
    if (!anonymous || anonymous.uuid === contact.uuid || (await conversations.ofContact(number.uuid, contact.uuid))) return;
    await contacts.merge(tx, number, { contact: anonymous.uuid, into: contact.uuid });
    // Their tokens would read the conversation of the user.
    await sessions.endAll(tx, number.uuid, before.visitor);
  }
}

export type People = ReturnType<typeof createPeople>;
