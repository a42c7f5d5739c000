import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import t from 'tap';
import { webchat } from '../../../plugins/webchat/plugin.js';
import { webchatVisitor } from '../../../plugins/webchat/testing/index.js';
import { provedUser } from '../../../plugins/webchat/visitors/identity.js';
import { blocksOf } from '../../pages/samples.js';
import { SECRET, startChat, textTurn } from './chat-under-test.js';

const block = (name: string): string => {
  const found = blocksOf('plugins/webchat/README.md').find((one) => one.name === name);
  if (!found) throw new Error(`the page has no block ${name}`);
  return found.code;
};

t.test('users are signed as on the page', async (t) => {
  const hash = createHmac('sha256', SECRET).update('42').digest('hex');
  const script = block('jwt').replace(/^import.*$/m, '');
  const run = new Function('createHmac', 'user', 'process', `${script}; return jwt;`);
  const jwt = run(createHmac, { id: '42', name: 'Ann' }, { env: { IDENTITY_SECRET: SECRET } }) as string;
  t.strictSame(provedUser({ jwt }, [SECRET], new Date()), { id: '42', name: 'Ann', fields: {} });
  const hashes = blocksOf('plugins/webchat/README.md').filter(({ name }) => name === 'hash');
  const [python, php] = [hashes.find(({ code }) => code.includes('import'))!.code, hashes.find(({ code }) => code.includes('$'))!.code];
  t.equal(
    execFileSync('python3', [
      '-c',
      `identity_secret, user_id = ${JSON.stringify(SECRET)}, "42"\n${python}\nprint(user_hash, end="")`,
    ]).toString(),
    hash,
  );
  t.equal(
    execFileSync('php', ['-r', `$identitySecret = ${JSON.stringify(SECRET)}; $userId = '42';\n${php}\necho $userHash;`]).toString(),
    hash,
  );
});

t.test('the options, the script tag, the policy and the visitor of the page work', async (t) => {
  const options = new Function('webchat', `return ${block('options')}`)(webchat) as ReturnType<typeof webchat>;
  t.match((options.options as { numbers: unknown[] }).numbers, [{ key: 'shop' }]);
  const chat = await startChat(t);
  const { body } = await chat.admin('GET', '/connections');
  t.match(JSON.stringify(body), `<script src=\\"http://posthorn.test/webchat/${chat.number.uuid}/widget.js\\" async></script>`);
  t.notMatch(JSON.stringify(body), SECRET);
  t.equal(
    block('embed')
      .replace(/https.*webchat\/[\w-]+/, 'X')
      .trim(),
    '<script src="X/widget.js" async></script>',
  );
  for (const directive of ['script-src', 'connect-src', 'img-src', 'media-src', 'frame-src'])
    t.match(block('policy'), `${directive} https://chat.example`);
  // The files of the widget are missing in a build without them.
  for (const file of ['widget.js', 'config']) {
    const { status, body: found, headers } = await chat.call('GET', `/webchat/${chat.number.uuid}/${file}`);
    if (status === 200) t.match(headers, { 'cache-control': 'public, max-age=300' });
    else t.match(found, { errors: [{ cause: 'browser_file_missing' }] });
  }
  const visit = new Function('webchatVisitor', 'number', `return (async () => { ${block('visitor')}; return ann; })()`);
  const visitor = (about: { url: string }) => {
    const ann = webchatVisitor({ url: about.url.replace('http://localhost:3000/webchat', chat.url.replace(/\/[^/]*$/, '')) });
    const say = ann.say;
    return Object.assign(ann, {
      async say(text: string) {
        const said = await say(text);
        const { to, from } = (await chat.platform.messages.get(said.id))!;
        t.equal(to, chat.number.address);
        await chat.send(from, textTurn('Good morning'));
        return said;
      },
    });
  };
  const ann = (await visit(visitor, chat.number.uuid)) as ReturnType<typeof webchatVisitor>;
  t.equal(ann.messages().length, 2);
  ann.cut();
});
