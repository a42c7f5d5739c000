import { standInCommand } from '../terminal/stand-in-command.js';

export const email = standInCommand({
  name: 'email',
  network: 'a mail server',
  summary: 'plays a mail server with a mailbox on this machine',
  port: 4050,
  notes: [
    'Point the plugin email at it: SMTP is at the port after this one, and IMAP at the next. Nothing leaves this machine.',
    'Its routes below /control let people write and answer, report bounces, and set fault rules.',
    'It needs the packages nodemailer, smtp-server, postal-mime and hoodiecrow-imap.',
    'Exit codes: 0 stopped, 4 the port is in use.',
  ],
  async start(port) {
    const { controlSummary, emailStandIn } = await import('../../plugins/email/testing/index.js');
    return { standIn: await emailStandIn({ port }), controlSummary };
  },
  shown: ({ address, password, smtpPort, imapPort }) => ({
    json: { address, password, smtp_port: smtpPort, imap_port: imapPort },
    lines: [`address ${address}`, `password ${password}`, `SMTP ${smtpPort}  IMAP ${imapPort}, both on 127.0.0.1 without encryption`],
  }),
});
