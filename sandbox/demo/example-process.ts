// Runs an example as a child of the sandbox: `node example-process.js connector`. The examples look into the environment for
// what they need to know; what only the parent knows, and not before they listen, is put there. They end with the parent.
process.on('disconnect', () => process.exit());
process.on('message', (environment: Record<string, string>) => {
  Object.assign(process.env, environment);
  process.send?.('told');
});

await import(`../examples/${process.argv[2]}.js`);
// The parent was gone before we listened for that.
if (!process.connected) process.exit();
