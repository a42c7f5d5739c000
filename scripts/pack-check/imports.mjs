// Imports its arguments, and fails when an import has side effects: globals, listeners, timers, threads, environment variables.
const look = () => ({
  globals: Object.getOwnPropertyNames(globalThis).sort(),
  listeners: process.eventNames().map(String).sort(),
  resources: process.getActiveResourcesInfo().filter((name) => !/^(FSReq|Immediate|CloseReq|Microtask|TTYWrap|PipeWrap)/.test(name)),
  environment: Object.entries(process.env).map((pair) => pair.join('=')),
  prototypes: [Object, Array, String, Promise, Function, Reflect].flatMap((one) => Object.getOwnPropertyNames(one.prototype ?? one)),
});

// hapi may have side effects of its own: the host application imports it, too.
await import('@hapi/hapi');
const before = look();
for (const subpath of process.argv.slice(2)) {
  const module = await import(subpath);
  if (Object.keys(module).length === 0) throw new Error(`${subpath} exports nothing`);
  await new Promise((resolve) => setImmediate(resolve));
  for (const [what, found] of Object.entries(look())) {
    const added = found.filter((one) => !before[what].includes(one));
    if (added.length > 0 || found.length !== before[what].length) throw new Error(`importing ${subpath} changes ${what}: ${added}`);
  }
}
