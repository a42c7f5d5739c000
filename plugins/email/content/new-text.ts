/** Characters of a longer line, which is neither a signature nor the line before a quote. The parser takes more than linear time of a line. */
const MAX_LINE = 300;
/** Steps that the expressions of the parser may take which reach over lines. */
const MAX_STEPS = 300_000_000;

const FORWARDED_SUBJECT = /^\s*(fwd?|wg|tr|rv|enc|i|doorst|videresendt|转发|轉寄|転送)\s*[:：]/i;
const FORWARDED_LINE =
  /^[ \t]{0,9}-{3,20}[ \t]{0,9}(forwarded message|weitergeleitete nachricht|message transféré|mensaje reenviado|mensagem encaminhada|messaggio inoltrato|doorgestuurd bericht|转发的邮件|轉寄的郵件)|^begin forwarded message:|^anfang der weitergeleiteten nachricht:|^début du message réexpédié/im;
/** The head that Outlook puts before the earlier message, in any language: a line with the sender, soon one with the date. */
const OUTLOOK_HEAD =
  /^(?:[-_]{5,}[^\n]*\n\s?)?\*?(?:From|Von|De|Van|Da|Od|Från|Fra|От|发件人|寄件者|差出人|보낸 사람)\s?[:：]\*?[^\n]*\n(?:[^\n]+\n){0,2}?\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviad[oa]|Inviato|Data|Fecha|Verzonden|Skickat|Sendt|Дата|Отправлено|发送时间|日期|送信日時|보낸 날짜)\s?(?:[:：]|le\s?:)/m;
/** A line with an address that ends with a colon, before a quote: in any language. Gmail breaks it before a long address. */
const BEFORE_QUOTE = /^(?!>)(?:[^\n]{1,100}<\n)?[^\n]{0,200}@[^\n]{1,200}[:：]\s*\n+(?=>)/gm;

/** Whether a mail passes on another one, which is then part of what its sender says. */
export const isForward = (subject: string, text: string): boolean => FORWARDED_SUBJECT.test(subject) || FORWARDED_LINE.test(text);

/** The text of a mail besides the quoted message and the signature. Empty if there is nothing else. */
export async function newText(full: string): Promise<string> {
  const long: string[] = [];
  const short = full
    .replace(/\0/g, '')
    .replace(/[ \t\u00a0]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .split('\n')
    .map((line) => (line.length <= MAX_LINE ? line : `${line.startsWith('>') ? '> ' : ''}\0${long.push(line) - 1}\0`))
    .join('\n');
  const head = OUTLOOK_HEAD.exec(short)?.index;
  const answer = (head === undefined ? short : short.slice(0, head)).replace(BEFORE_QUOTE, '');
  const visible = isQuick(answer) ? await visibleIn(answer) : answer.replace(/^>.*\n?/gm, '');
  return visible.replace(/\0(\d+)\0/g, (_, i) => long[Number(i)]!).trim();
}

/** Not by `parseReply`, which takes long for a text with many tildes. */
async function visibleIn(text: string): Promise<string> {
  const { default: EmailReplyParser } = await import('email-reply-parser');
  const fragments = new EmailReplyParser().read(text).getFragments();
  const visible = fragments.filter((one) => !one.isHidden()).map((one) => one.getContent());
  return visible.join('\n\n').replace(/\n{3,}/g, '\n\n');
}

/** Whether the parser is quick: some of its expressions search from each of these starts for each of these ends. */
function isQuick(text: string): boolean {
  const starts = text.match(/^\s*(?:Op\s|W\sdniu|Dnia|在|\p{L}{2,4}[.,]\s)/gmu)?.length ?? 0;
  const ends = text.match(/schreef|skrev|写道|pisze|napisa|kirjoitti/g)?.length ?? 0;
  return starts * (ends + 1) * text.length <= MAX_STEPS;
}
