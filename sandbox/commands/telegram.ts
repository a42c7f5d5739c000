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
    return { standIn: await telegramStandIn({ port, switches: { webhookUrls: 'any' } }), controlSummary };
  },
  shown: ({ token, bot: { id, username } }) => ({
    json: { token, bot: { id, username } },
    lines: [`bot @${username}  id ${id}`, `token ${token}`],
  }),
});
