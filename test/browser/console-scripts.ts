/** Tries every way in which a foreign page can read. Resolves with the outcome of each. */
export const READS = `async (api) => {
  const outcomes = {};
  const read = async (name, path, init) => {
    outcomes[name] = await fetch(api + path, init).then(async (r) => r.type + ' ' + r.status + ' ' + (await r.text()), () => 'refused');
  };
  const element = (name, tag, attributes) => new Promise((resolve) => {
    const node = Object.assign(document.createElement(tag), attributes);
    node.onload = node.onloadeddata = () => resolve(outcomes[name] = 'loaded');
    node.onerror = () => resolve(outcomes[name] = 'refused');
    document.body.append(node);
  });
  const media = new URL(api.media).pathname;
  api = api.api;
  await read('cors', '/admin/v1/numbers', { credentials: 'include' });
  await read('no-cors', '/admin/v1/numbers', { credentials: 'include', mode: 'no-cors' });
  await read('cors with the headers of the console', '/admin/v1/numbers', { credentials: 'include', headers: { 'x-posthorn': '1' } });
  await read('same-origin', '/admin/v1/numbers', { credentials: 'include', mode: 'same-origin' });
  await read('the page of the console', '/console/', { credentials: 'include' });
  outcomes.stream = await new Promise((resolve) => {
    const source = new EventSource(api + '/admin/v1/events', { withCredentials: true });
    source.onopen = () => resolve('open');
    source.onerror = () => { source.close(); resolve('refused'); };
  });
  await element('image', 'img', { src: api + media });
  await element('video', 'video', { src: api + media });
  await element('script', 'script', { src: api + '/admin/v1/numbers' });
  await element('style', 'link', { rel: 'stylesheet', href: api + '/admin/v1/numbers' });
  await element('media as script', 'script', { src: api + media });
  return outcomes;
}`;

/** Tries every way in which a foreign page can change something. */
export const ACTS = `async (api) => {
  const body = JSON.stringify({ kind: 'network', type: 'network', address: '+27600000666', name: 'Evil' });
  const types = ['text/plain', 'application/json', 'application/x-www-form-urlencoded'];
  const send = (path, init) => fetch(api + path, { credentials: 'include', ...init }).catch(() => undefined);
  for (const type of types) {
    for (const mode of ['no-cors', 'cors']) {
      await send('/admin/v1/numbers', { method: 'POST', mode, body, headers: { 'content-type': type } });
      await send('/admin/v1/state/reset', { method: 'POST', mode });
    }
  }
  await send('/admin/v1/numbers', { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-posthorn': '1' } });
  await send('/admin/v1/console/session', { method: 'DELETE', headers: { 'x-posthorn': '1' } });
  await send('/admin/v1/console/session', { method: 'DELETE' });
  navigator.sendBeacon(api + '/admin/v1/numbers', body);
  for (const path of ['/admin/v1/numbers', '/admin/v1/state/reset', '/admin/v1/console/sessions']) {
    await new Promise((resolve) => {
      const frame = Object.assign(document.createElement('iframe'), { name: 'target' + path, onload: resolve });
      document.body.append(frame);
      const form = Object.assign(document.createElement('form'), { method: 'POST', action: api + path, target: frame.name, enctype: 'text/plain' });
      form.append(Object.assign(document.createElement('input'), { name: body.slice(0, -1) + ',"x":"', value: '"}' }));
      document.body.append(form);
      form.submit();
      setTimeout(resolve, 2000);
    });
  }
}`;

const text = JSON.stringify;

/** Shows an image. Resolves with `loaded` or `refused`. */
export const showImage = (src: string): string =>
  `new Promise((resolve) => Object.assign(new Image(), { src: ${text(src)}, onload: () => resolve('loaded'), onerror: () => resolve('refused') }))`;

/** Embeds a page, and waits until it is loaded or refused. */
export const embed = (tag: 'iframe' | 'object' | 'embed', url: string): string => `new Promise((resolve) => {
  const node = Object.assign(document.createElement(${text(tag)}), { src: ${text(url)}, data: ${text(url)}, onload: resolve, onerror: resolve });
  document.body.append(node);
  setTimeout(resolve, 1000);
})`;

/** Plays a recording from a time, in seconds. Resolves with the time; -1 if the browser cannot play it. */
export const seek = (src: string, to: number): string => `new Promise((resolve) => {
  const player = new Audio(${text(src)});
  player.onloadedmetadata = () => { player.currentTime = ${to}; };
  player.onseeked = () => resolve(player.currentTime);
  player.onerror = () => resolve(-1);
})`;

/** Clicks a link that downloads a file under a name. */
export const download = (href: string, name: string): string =>
  `Object.assign(document.createElement('a'), { href: ${text(href)}, download: ${text(name)} }).click()`;
