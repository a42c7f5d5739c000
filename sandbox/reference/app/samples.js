// The sample calls in other languages, with the address that the browser called and with keys that are filled in on request.
import { callIn, javascriptOf, pythonOf, withValues } from '../samples.ts';

const baked = document.getElementById('base').textContent;
const isAdmin = location.pathname.endsWith('/admin');
const variable = isAdmin ? 'POSTHORN_ADMIN_KEY' : 'POSTHORN_TOKEN';
const language = document.getElementById('language');
const key = document.getElementById('key');
const filled = document.getElementById('filled');
const samples = [...document.querySelectorAll('main pre')]
  .filter((pre) => pre.textContent.startsWith('curl '))
  .map((pre) => ({ pre, curl: pre.textContent }));
/** A proxy can add a prefix or end TLS. A public URL of the platform is right already. */
const here = `${location.origin}${location.pathname.replace(/\/docs(\/admin)?\/?$/, '')}`;
const base = document.documentElement.hasAttribute('data-public') ? baked : here;
let number;

function show() {
  const values = { ...(key.value && { [variable]: key.value }), ...(number && { NUMBER: number, NUMBER_UUID: number }) };
  document.getElementById('base').textContent = base;
  for (const { pre, curl } of samples) {
    const text = curl.replace(baked, base);
    pre.textContent =
      language.value === 'curl' ? withValues(text, values) : (language.value === 'python' ? pythonOf : javascriptOf)(callIn(text), values);
  }
}

/** Calls the admin API with the session of the console, if this browser has one. It cannot read existing tokens. */
async function admin(path, payload) {
  const response = await fetch(`${here}/admin/v1${path}`, {
    ...(payload && { method: 'POST', body: JSON.stringify(payload) }),
    headers: { 'content-type': 'application/json', 'x-posthorn': '1' },
  });
  if (!response.ok)
    throw new Error(response.status === 401 ? 'Sign in first: posthorn open.' : `The server responded with ${response.status}.`);
  return response.json();
}

async function fill() {
  try {
    const { numbers } = await admin('/numbers');
    const own = numbers.find(({ kind }) => kind === 'channel') ?? numbers[0];
    if (!own) throw new Error('There is no number yet.');
    key.value = (await admin(`/numbers/${own.uuid}/tokens`, { name: 'reference' })).text;
    number = own.uuid;
    filled.textContent = `A new token of ${own.name}.`;
    show();
  } catch (error) {
    filled.textContent = error.message;
  }
}

document.getElementById('samples').hidden = false;
language.addEventListener('change', show);
key.addEventListener('input', () => {
  number = undefined;
  filled.textContent = '';
  show();
});
document.getElementById('fill')?.addEventListener('click', fill);
if (base !== baked) show();
