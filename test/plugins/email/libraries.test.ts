import t from 'tap';
import { libraries, load } from '../../../plugins/email/libraries.js';

t.test('a package that is not installed is named, with the command that installs all', async (t) => {
  const none = 'a-package-that-is-not-there';
  await t.rejects(
    load(none, () => import(none)),
    {
      status: 503,
      code: 'email_library_missing',
      message: /^The package 'a-package-that-is-not-there' is not installed.*npm install nodemailer smtp-server imapflow /,
    },
  );
  await t.rejects(
    load('nodemailer', () => Promise.reject(new Error('it is broken'))),
    { message: 'it is broken' },
  );
  for (const open of Object.values(libraries)) t.ok(await open());
});
