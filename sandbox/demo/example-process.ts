// Runs an example as a child of the sandbox: `node example-process.js connector`. Examples read tokens and secrets from their
// environment; the parent sends these once the examples listen. The child ends with its parent.
process.on('disconnect', () => process.exit());
process.on('message', (environment: Record<string, string>) => {
  Object.assign(process.env, environment);
  process.send?.('received');
});

await import(new URL(`../examples/${process.argv[2]}.js`, import.meta.url).href);
// The parent has ended before the handler above was installed.
if (!process.connected) process.exit();
