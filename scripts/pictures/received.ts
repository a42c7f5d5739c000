// Pages that show what contacts receive, for the pictures of channels without a screen of their own.
import type { EmailStandIn } from '../../plugins/email/testing/index.js';

const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

const STYLES = 'margin:0;background:#e9edf1;color:#1c2733;font:15px/1.45 sans-serif';

/** A drawing that is sent as a file. */
export const readingRoom = `<body style="margin:0"><div style="width:360px;height:120px;position:relative;overflow:hidden;background:#f3e3c3">
<i style="position:absolute;left:24px;top:18px;width:90px;height:62px;background:#9cc7e6;border:5px solid #7a5230"></i>
<i style="position:absolute;left:150px;top:14px;width:180px;height:70px;background:repeating-linear-gradient(90deg,#b3472e 0 12px,#2e5f8a 12px 22px,#e0a83a 22px 30px,#4c7a4a 30px 42px);border:5px solid #7a5230"></i>
<i style="position:absolute;left:0;top:96px;width:360px;height:24px;background:#a9713f"></i></div></body>`;

/** A mail as a mail program shows it: with pictures, and for people whose program shows none, or no HTML. */
export function mailPage({ headers, subject, html, text, files }: EmailStandIn['sent'][number]): string {
  const [picture] = files;
  const data = picture ? `data:${picture.type};base64,${Buffer.from(picture.bytes).toString('base64')}` : '';
  const frame = (content: string) => `<iframe sandbox style="border:0;width:100%;height:410px" srcdoc="${escaped(content)}"></iframe>`;
  const panes = [
    ['HTML', frame(html.replace(/cid:[^"]+/, data)), 1.25],
    ['Without pictures', frame(html.replace(/src="cid:[^"]+"/, '')), 1],
    ['Plain text', `<pre style="margin:16px;white-space:pre-wrap;font:13px/1.5 monospace">${escaped(text)}</pre>`, 1],
  ] as const;
  const shown = panes.map(
    ([title, content, width]) =>
      `<section style="flex:${width};min-width:0;background:#fff;border-radius:8px"><h2 style="font-size:13px;margin:10px 16px 0;color:#5b6876">${title}</h2>${content}</section>`,
  );
  const head = ['From', 'To'].map((name) => `<span style="color:#5b6876">${name}</span> ${escaped(headers[name.toLowerCase()] ?? '')}`);
  return `<body style="${STYLES}"><header style="background:#fff;padding:14px 20px"><h1 style="font-size:20px;margin:0 0 4px">${escaped(subject)}</h1>
${head.join(' &nbsp; ')}</header><main style="display:flex;gap:12px;padding:12px">${shown.join('')}</main></body>`;
}

/** A conversation by SMS on the phone of a contact, who writes every other line. */
export function phonePage(sender: string, lines: readonly string[]): string {
  const bubbles = lines.map((line, i) => {
    const look = i % 2 === 0 ? 'align-self:flex-end;background:#1f6feb;color:#fff' : 'align-self:flex-start;background:#fff';
    return `<p style="${look};margin:0;max-width:78%;padding:9px 13px;border-radius:16px;white-space:pre-wrap">${escaped(line)}</p>`;
  });
  return `<body style="${STYLES}"><header style="background:#fff;padding:16px;text-align:center;font-weight:bold">${sender}</header>
<main style="display:flex;flex-direction:column;gap:10px;padding:16px">${bubbles.join('')}</main></body>`;
}
