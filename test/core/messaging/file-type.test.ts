import t from 'tap';
import { fileNameOf, fileTypeOf } from '#core/basics';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

t.test('the extension in a link decides the type of a file, if it fits the kind of message', (t) => {
  const cases = [
    ['document', 'https://x.y/r%C3%A9sum%C3%A9.docx', DOCX],
    ['document', 'https://x.y/a.PDF?x=.png#b.gif', 'application/pdf'],
    ['document', 'https://x.y/list.csv', 'text/csv'],
    ['document', 'https://x.y/photo.png', 'image/png'],
    ['document', 'https://x.y/a.unheard-of', 'application/octet-stream'],
    ['document', 'https://x.com', 'application/octet-stream'],
    ['document', 'https://x.y/pdf', 'application/octet-stream'],
    ['document', 'https://x.y/a.constructor', 'application/octet-stream'],
    ['document', 'media:123.pdf', 'application/octet-stream'],
    ['image', 'https://x.y/a.gif?x=.png', 'image/gif'],
    ['image', 'https://x.y/a.mp4', 'image/jpeg'],
    ['image', 'https://x.y/a', 'image/jpeg'],
    ['audio', 'https://x.y/a.m4a', 'audio/mp4'],
    ['audio', 'https://x.y/a.mp4', 'audio/ogg'],
    ['video', 'https://x.y/a.3gp', 'video/3gpp'],
    ['sticker', 'https://x.y/a', 'image/webp'],
  ] as const;
  for (const [kind, link, type] of cases) t.equal(fileTypeOf(kind, link), type, `${kind} ${link}`);
  t.equal(fileTypeOf('document', 'https://x.y/download?id=1', 'report.docx'), DOCX, 'or the extension of the file name');
  t.equal(
    fileTypeOf('document', 'https://x.y/get.php?id=7', 'Plan.pdf'),
    'application/pdf',
    'an extension of a server program does not count, the file name does',
  );
  t.equal(
    fileTypeOf('document', 'https://x.y/a.pdf', 'Quote acme.com'),
    'application/pdf',
    'an extension that could be a word does not count',
  );
  t.equal(fileTypeOf('document', 'https://x.y/a.pdf', 'the plan'), 'application/pdf', 'a name without an extension does not count');
  t.equal(fileTypeOf('document', 'media:123', 'a.pdf'), 'application/pdf');
  t.end();
});

t.test('the name of a file is read from its link, without path and query', (t) => {
  const cases = [
    ['https://x.y/r%C3%A9sum%C3%A9.docx', 'résumé.docx'],
    ['https://x.y/a%20b.pdf?c=d.png', 'a b.pdf'],
    ['https://x.y/100%.pdf', '100%.pdf'],
    ['https://x.y/%E9t%C3%A9.pdf', '%E9té.pdf'],
    ['https://x.y/..%2F..%2Fetc%2Fpasswd', '..%2F..%2Fetc%2Fpasswd'],
    ['https://x.y/a%00%0A%5C.pdf', 'a%00%0A%5C.pdf'],
    ['https://x.y/invoice%E2%80%AEfdp.exe', 'invoice%E2%80%AEfdp.exe'],
    ['https://x.y/invoice\u202efdp.exe', 'invoice%E2%80%AEfdp.exe'],
    ['https://x.y/a%E2%80%8Bb%E2%80%A8c%EF%BB%BF.pdf', 'a%E2%80%8Bb%E2%80%A8c%EF%BB%BF.pdf'],
    ['https://x.y/%D7%A9%D7%9C%D7%95%D7%9D.pdf', 'שלום.pdf'],
    ['https://x.y/%E2%9D%A4%EF%B8%8F.pdf', '❤️.pdf'],
    ['https://x.y/%D9%85%DB%8C%E2%80%8C%D8%AE.pdf', 'می‌خ.pdf'],
    ['https://x.y/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB.png', '👩‍💻.png'],
    ['https://x.y/folder/', undefined],
    ['https://x.y', undefined],
    ['media:123', undefined],
    ['', undefined],
  ] as const;
  for (const [link, name] of cases) t.equal(fileNameOf(link), name, link);
  t.end();
});
