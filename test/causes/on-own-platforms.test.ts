import t from 'tap';
import { onOwnPlatforms } from './on-own-platforms.js';

for (const [cause, provoke] of Object.entries(onOwnPlatforms)) {
  t.test(`${cause} is the cause that a response names`, async (t) => {
    const { status, headers, body } = await provoke(t);
    t.equal(headers['x-posthorn-cause'], cause, `${status} ${JSON.stringify(body)}`);
    t.ok(status >= 400);
  });
}
