// Shared by the drivers of client libraries for JavaScript.
export const given = JSON.parse(process.argv[2]);
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Sends calls of a library that knows only the address of the network to the stand-in. */
export function redirect() {
  const { fetch } = globalThis;
  const redirected = (url) => String(url).replace('https://graph.facebook.com', given.url);
  globalThis.fetch = (input, init) =>
    input instanceof Request ? fetch(new Request(redirected(input.url), input), init) : fetch(redirected(input), init);
}

/** Makes calls one after the other, and prints by their names whether each succeeded, or why not. */
export async function report(calls) {
  const results = {};
  for (const [name, call] of Object.entries(calls)) {
    try {
      const result = await call();
      if (result?.error) throw new Error(JSON.stringify(result.error));
      results[name] = true;
    } catch (error) {
      const details = (await error.response?.text?.().catch(() => '')) ?? '';
      results[name] = `${error.message} ${details}`.trim().slice(0, 300);
    }
  }
  console.log(JSON.stringify(results));
}
