import { standInCommand } from '../terminal/stand-in-command.js';

export const telegram = standInCommand({
  name: 'telegram',
  network: 'the Bot API',
  summary: 'plays the Telegram Bot API on this machine',
  port: 4030,
  notes: [
    'Point the plugin telegram at it, or any other client whose base address can be set. Nothing leaves this machine.',
    'Its routes below /control let people write and tap buttons, and set fault rules. Webhooks may have any address.',
    'Exit codes: 0 stopped, 4 the port is in use.',
  ],
  async start(port) {
    const { controlSummary, telegramStandIn } = await import('../../plugins/telegram/testing/index.js');
    // A platform that keeps its data must not take messages after a restart of the stand-in for earlier ones.
    const first = Math.floor(Date.now() / 1_000);
    const standIn = await telegramStandIn({ port, firstUpdateId: first, firstMessageId: first, switches: { webhookUrls: 'any' } });
    return { standIn, controlSummary };
  },
  shown: ({ token, bot: { id, username } }) => ({
    json: { token, bot: { id, username } },
    lines: [`bot @${username}  id ${id}`, `token ${token}`],
  }),
});
