import t from 'tap';
import { onlyLong, sampled } from '../forms.js';
import { validFlows } from '../plugins/flows/validate/flow-cases.js';
import { close, openPage, severalAtOnce, violationsInBothThemes, withoutBrowser } from './browser.js';
import { flowOf, previewUrl, screen, sharedPlatform } from './previews.js';

const skip = withoutBrowser;
t.teardown(close);

t.test('axe finds no violation on any screen in both themes', { skip }, async (t) => {
  const platform = await sharedPlatform();
  await severalAtOnce(sampled(validFlows, 6), async ({ name, text }) => {
    const { page, giveBack } = await openPage(t, await previewUrl(platform, text));
    for (const id of await page.locator('.task-bar option').allTextContents()) {
      await page.getByLabel('Screen', { exact: true }).selectOption(id);
      t.strictSame(await violationsInBothThemes(page), [], `${name} ${id}`);
    }
    await giveBack();
  });
});

const textOf = (word: string): string => validFlows.find(({ name }) => name.includes(word))!.text;

/** Views other than screens: a flow, the query of its preview, and the buttons to press before each run of axe. */
const places: Readonly<Record<string, readonly [flow: unknown, query: string, looks: readonly (readonly (string | RegExp)[])[]]>> = {
  'problems of inputs, a dropdown and a calendar': [
    textOf('inputs'),
    'interactive=true',
    [['Submit'], [/^City/], ['Done', /^Preferred date/]],
  ],
  'an address, the log and the response': [
    textOf('display'),
    'interactive=true&debug=true',
    [['Read our policy'], ['Cancel', 'Log'], ['Back to the flow', 'Done']],
  ],
  'a request to an endpoint': [textOf('endpoint'), 'interactive=true&flow_action=data_exchange', [[]]],
  'the problems of a flow': [flowOf(screen('A', [{ type: 'Nonsense' }])), 'interactive=true', [[]]],
};

t.test('axe finds no violation in sheets, the response and the list of problems', { skip: onlyLong || skip }, async (t) => {
  const platform = await sharedPlatform();
  await severalAtOnce(Object.entries(places), async ([name, [flow, query, looks]]) => {
    const { page } = await openPage(t, await previewUrl(platform, flow, query));
    for (const pressed of looks) {
      for (const button of pressed) await page.getByRole('button', { name: button }).click({ force: button === 'Submit' });
      t.strictSame(await violationsInBothThemes(page), [], `${name}: ${pressed}`);
    }
  });
});

t.test('an invalid URL shows an error page without axe violations, on a narrow phone too', { skip }, async (t) => {
  const { server } = await sharedPlatform();
  for (const address of ['/flow-preview/1?token=x', '/flow-messages/1?token=x', `/flow-preview/${'W'.repeat(300)}`]) {
    const { page } = await openPage(t, `http://127.0.0.1:${server.info.port}${address}`, { width: 320, height: 568 });
    await page.getByRole('heading', { level: 1, name: /^(Preview not found|This form is not available)$/ }).waitFor();
    t.equal(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0, 'nothing is cut off');
    t.strictSame(await violationsInBothThemes(page), [], address.slice(0, 40));
  }
});
