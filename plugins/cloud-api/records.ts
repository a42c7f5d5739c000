import { collection, type JsonObject } from '#core';
import { issuedAdviceCollection } from '#core/messaging';
import type { FlowStatus } from '../flows/plugin.js';

/** The connection of a number to the network. Its three secrets are sealed, under names with the uuid of the number. */
export interface ConnectionRecord {
  /** The uuid of the number. */
  readonly number: string;
  readonly phone_number_id: string;
  /** The business account: owner of templates and flows. */
  readonly waba_id: string;
  readonly connected_at: string;
  /** When the templates of the account were last read. Until then, the network decides about templates. */
  readonly templates_read_at?: string;
  /** Why nothing is sent until an operator acts, such as an expired token. */
  readonly stopped?: { readonly at: string; readonly code: number; readonly title: string };
}

export const connections = collection<ConnectionRecord>({
  key: 'number',
  tenant: { number: 'number' },
  unique: { phone: ['phone_number_id'] },
  audited: ['phone_number_id', 'waba_id', 'stopped'],
  indexes: { account: ['waba_id', 'number'] },
});

/** A message that the network has not accepted yet. Messages of a conversation are sent one after the other, in the order of `position`. */
export interface PendingSend {
  /** The uuid of the message. */
  readonly message: string;
  readonly number: string;
  readonly conversation: string;
  readonly position: number;
  readonly queued_at: string;
  /** The uuid of its delivery once it is in the outbox; at most one message of a conversation is. */
  readonly delivery?: string;
  /** Only with `unknownOutcome: 'fail'`: its send has `begun` and has no outcome; `doubted` when it waits for a status. */
  readonly send?: 'begun' | 'doubted';
  /** The keys of earlier uploads that it uses again. If the network no longer has them, it is sent once more with new ones. */
  readonly reused?: readonly string[];
  /** It is sent a second time, because the network did not have an earlier upload. There is no third time. */
  readonly isRepeated?: boolean;
}

export const pendingSends = collection<PendingSend>({
  key: 'message',
  tenant: { number: 'number' },
  indexes: { conversation: ['conversation', 'position'], number: ['number', 'conversation', 'position'] },
});

/** A status whose message is not known yet, because it overtook the answer to the send. */
export interface EarlyStatus {
  readonly key: string;
  readonly number: string;
  readonly wamid: string;
  readonly at: string;
  readonly status: JsonObject;
}

export const earlyStatuses = collection<EarlyStatus>({
  key: 'key',
  tenant: { number: 'number' },
  indexes: { wamid: ['number', 'wamid', 'at'] },
});

/** Another id of a contact, as earlier releases stored it. The core has the aliases that are learned since. */
export interface ContactAlias {
  /** `<number>/<id>`. */
  readonly key: string;
  readonly number: string;
  /** The `id` of the contact. */
  readonly contact: string;
}

export const contactAliases = collection<ContactAlias>({ key: 'key', tenant: { number: 'number' } });

/** A media file that was uploaded to the network. */
export interface UploadRecord {
  /** `<number>/<sha256>/<MIME type>`. */
  readonly key: string;
  readonly number: string;
  readonly network_media: string;
  /** When it must be uploaded again; a few days before the network deletes it. */
  readonly until: string;
}

export const uploads = collection<UploadRecord>({
  key: 'key',
  tenant: { number: 'number' },
  indexes: { until: ['number', 'until', 'key'] },
});

/** The name and language of a template. */
export interface TemplateName {
  readonly name: string;
  readonly language: string;
}

/** The parts of a template that the network has and our form of it has not. Templates without such parts have no record. */
export interface TemplateExtra {
  /** `<number>/<language>/<name>`. */
  readonly key: string;
  readonly number: string;
  /** Parts that messages of this API cannot have, for people: `a component of type CAROUSEL`. */
  readonly unsendable: readonly string[];
  /** The names of placeholders that have names, in the order of our numbers. */
  readonly names: { readonly header: readonly string[]; readonly body: readonly string[] };
}

export const templateExtras = collection<TemplateExtra>({ key: 'key', tenant: { number: 'number' } });
export const templateKey = (number: string, { name, language }: TemplateName): string => `${number}/${language}/${name}`;

/** A flow of a connected account, in the order in which it was first seen: the network's own order is not documented. */
export interface FlowPosition {
  /** The id of the flow. It stays when the flow is deleted, so that cursors to it stay valid. */
  readonly id: string;
  readonly account: string;
  readonly position: number;
  /** As the network last reported it. It is read again after each webhook about the flow. */
  readonly status?: FlowStatus;
}

export const flowPositions = collection<FlowPosition>({
  key: 'id',
  tenant: { account: 'account' },
  indexes: { position: ['account', 'position'] },
});

export const issuedAdvice = issuedAdviceCollection();
