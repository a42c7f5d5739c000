import type { PersonalData } from '#core';
import { contactAliases, earlyStatuses, pendingSends } from '../records.js';
import { lanes, unknownOutcomes } from './queues.js';

/** Sends of a contact that the network has not accepted, early statuses, and aliases of earlier releases. Ids of the network go with their messages. */
export const personalSends: PersonalData = {
  async erase(tx, { number, conversations, ids }) {
    const names = ids.map((id) => JSON.stringify(id));
    const sends = (await Promise.all(conversations.map((one) => tx.in(pendingSends).find('conversation', { equals: [one] })))).flat();
    for (const { message } of sends) {
      tx.in(pendingSends).delete(message);
      tx.cancel(unknownOutcomes, message);
    }
    for (const conversation of conversations) tx.cancel(lanes, conversation);
    const early = await tx.in(earlyStatuses).find('wamid', { equals: [number.uuid] });
    const statuses = early.filter(({ status }) => names.some((name) => JSON.stringify(status).includes(name)));
    for (const { key } of statuses) tx.in(earlyStatuses).delete(key);
    const aliases = (await tx.in(contactAliases).list()).filter((one) => one.number === number.uuid && ids.includes(one.contact));
    for (const { key } of aliases) tx.in(contactAliases).delete(key);
    return { pending_sends: sends.length, early_statuses: statuses.length, aliases: aliases.length };
  },
};
