import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { libraries, load } from '../../../plugins/email/libraries.js';
import { freshFolder } from '../../core/adapters/store/folders.js';

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

/** Hooks of Node.js, with which none of the packages is installed. */
const HOOKS = `export async function resolve(specifier, context, next) {
  if (!/^(${Object.keys(libraries).join('|')})(\\/|$)/.test(specifier)) return next(specifier, context);
  throw Object.assign(new Error('not found: ' + specifier), { code: 'ERR_MODULE_NOT_FOUND' });
}`;
const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
const file = (path: string): string => JSON.stringify(new URL(`../../../${path}`, import.meta.url).href);

t.test('without the packages a platform starts, and a number names the command that installs them', async (t) => {
  const folder = freshFolder(t);
  const script = join(folder, 'start.mjs');
  writeFileSync(
    script,
    `import { createPlatform } from ${file('core/index.js')};
    import { RecordingLogger } from ${file('core/testing/index.js')};
    import { email } from ${file('plugins/email/plugin.js')};
    import { emailStandIn } from ${file('plugins/email/testing/index.js')};
    for (const numbers of [[], [{ address: 'a@shop.example', smtp_host: '127.0.0.1' }]]) {
      const plugins = [email({ numbers, listener: { port: 1 } })];
      const dataDir = ${JSON.stringify(folder)} + '/data' + numbers.length;
      const platform = createPlatform({ dataDir, plugins, ports: { log: new RecordingLogger() } });
      await platform.start().then(() => console.log('started'), (error) => console.log(error.message));
      await platform.stop();
    }
    await emailStandIn({ port: false }).catch((error) => console.log(error.message));`,
  );
  const hooks = dataUrl(`import { register } from 'node:module'; register(${JSON.stringify(dataUrl(HOOKS))});`);
  const output = execFileSync(process.execPath, ['--import', hooks, script], { encoding: 'utf8' });
  const [started, number, standIn] = output.split('\n');
  t.equal(started, 'started');
  t.match(number, /plugin 'email' failed at start: The package 'postal-mime' is not installed.*: npm install nodemailer /);
  t.match(standIn, /The package 'nodemailer' is not installed.*: npm install nodemailer /);
});
