import './simulate/real-timers.js';
import { enter } from './simulate/ambient.js';
import { Machine, ADMIN_KEY } from './simulate/machine.js';
import { Network } from './simulate/network.js';
import { realNow } from './simulate/real-timers.js';
import { World } from './simulate/world.js';
import { everyPlugin } from './docs/everything.js';

async function once(seed: string) {
  const plugins = await everyPlugin();
  const world = new World(seed);
  if (process.env.TRACE) world.onTrace = (line) => console.log(line.slice(0, 300));
  const leave = enter(world);
  const began = realNow();
  try {
    const network = new Network(world);
    let got = 0;
    network.serve('hook.test', () => {
      got++;
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ messages: [{ id: `m${got}` }] }) };
    });
    const machine = new Machine(world, network, 'one', { plugins });
    machine.start();
    await world.runUntil(60_000, () => machine.isUp);
    console.log('up', world.now, world.steps, realNow() - began);
    let acked = 0;
    const actor = async () => {
      const channel = await machine.serve({ method: 'POST', path: '/admin/v1/channels', token: ADMIN_KEY, body: { from_addr: 'desk', name: 'Desk', endpoint: 'http://hook.test/c' } });
      if (channel?.status !== 201) console.log(channel);
      const number = channel!.body.number.uuid;
      const token = (await machine.serve({ method: 'POST', path: `/admin/v1/numbers/${number}/tokens`, token: ADMIN_KEY, body: { name: 'x' } }))!.body.text;
      console.log((await machine.serve({ method: 'POST', path: '/admin/v1/webhooks', token: ADMIN_KEY, body: { number, url: 'http://hook.test/w', name: 'x', subscriptions: ['msgapp'] } }))?.status);
      for (let i = 0; i < 2000; i++) {
        await world.sleep(world.random.exponential(1800));
        const from = `+2782000${1000 + (i % 20)}`;
        const response = await machine.serve({ method: 'POST', path: `/v1/numbers/${number}/messages`, token, body: { contact: { id: from, profile: { name: 'Ann' } }, message: { type: 'text', from, id: `in-${i}`, timestamp: '1767600000', text: { body: `hi ${i}` } } } });
        if (response?.status === 200) acked++;
        else console.log(response);
      }
    };
    let done = false;
    world.schedule(world.outside, 0, () => void actor().then(() => { done = true; }, (error) => world.fail(error)));
    await world.runUntil(3_600_000, () => done);
    await world.runUntil(world.now + 10_000);
    console.log({ acked, got, now: world.now, steps: world.steps, ms: realNow() - began, hash: world.traceHash.slice(0, 16), files: machine.disk.files.length });
  } finally {
    leave();
  }
}
import { preload } from './simulate/preload.js';
await preload();
await once('1');
await once('1');
await once('1');
process.exit();
