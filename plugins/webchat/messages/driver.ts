import { type ChannelDriver, MessageRefused, type PluginContext, unixSeconds } from '#core';
import { turnParts } from '#core/messaging';
import { WEBCHAT, webchatConnection } from '../connection.js';

const NO_TEXT = 'The template is not known here, so its text cannot be shown in a web chat';

const REFUSED = { code: 131026, title: 'Message undeliverable', href: 'https://posthorn.invalid/undeliverable' };

/** Shows messages to visitors: a message is sent when it is stored, because the platform itself serves it to the widget. */
export function webchatDriver(context: PluginContext): ChannelDriver {
  const { messages, forms, clock } = context;
  return {
    type: WEBCHAT,
    capabilities: {
      limits: { buttons: 100, rows: 100, sections: 100 },
      files: {
        image: { maxBytes: MAX_BYTES, types: ['image/*'] },
        video: { maxBytes: MAX_BYTES, types: ['video/*'] },
        audio: { maxBytes: MAX_BYTES, types: ['audio/*'] },
        document: { maxBytes: MAX_BYTES, types: ['application/*', 'text/*'] },
      },
    },
    unblocksOnMessage: true,
    connection: webchatConnection(context),

    async check(_tx, { number, turn }) {
      const form = turnParts(turn, '')?.form;
      const details = form && (await forms.refusal(number, form, { isFramed: true }));
      if (details !== undefined) throw new MessageRefused({ ...REFUSED, details });
    },

    async deliver(tx, { turn, number, message, contact, conversation }) {
      const parts = turnParts(turn, message.rendered);
      if (!parts) return messages.undeliverable(tx, number, message.uuid, NO_TEXT);
      if (parts.form) await forms.link(tx, message);
      await messages.accepted(tx, number, message.uuid, message.uuid, { contact, conversation });
      const timestamp = unixSeconds(clock.now());
      await messages.status(tx, number, { id: message.uuid, recipient: message.to, status: 'sent', timestamp });
    },
  };
}

/** The largest file, in both directions. */
export const MAX_BYTES = 16 * 1024 * 1024;
