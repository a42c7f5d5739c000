import t from 'tap';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { complete, flowOf, open, screen } from './previews.js';

const skip = withoutBrowser;
t.teardown(close);

const focusedLabel = "document.activeElement.getAttribute('aria-label')";
const options = (...titles: string[]) => titles.map((title) => ({ id: title.toLowerCase(), title }));

t.test('a calendar opens with the focus on the chosen day or on today', { skip }, async (t) => {
  const range = {
    type: 'CalendarPicker',
    name: 'stay',
    mode: 'range',
    label: { 'start-date': 'From', 'end-date': 'To' },
    'init-value': { 'start-date': '2026-03-28', 'end-date': '2026-04-03' },
  };
  const fields = [
    { type: 'DatePicker', name: 'free', label: 'Free' },
    { type: 'DatePicker', name: 'set', label: 'Set', 'init-value': '2031-07-14' },
    { type: 'DatePicker', name: 'past', label: 'Past', 'max-date': '2020-05-05' },
    range,
    complete(),
  ];
  const { page } = await open(t, flowOf(screen('DAYS', fields, { terminal: true })));
  const daysFromNow = (days: number) =>
    page.evaluate(
      `new Intl.DateTimeFormat('en', { dateStyle: 'full' }).format(new Date(Date.now() + ${days} * 86400000))`,
    ) as Promise<string>;
  const today = await daysFromNow(0);
  const opens = async (button: RegExp) => {
    await page.getByRole('button', { name: button }).click();
    await page.locator('dialog[open]').waitFor();
  };
  const opensAt = async (button: RegExp, day: string) => {
    await opens(button);
    t.equal(await page.evaluate(focusedLabel), day);
    t.equal(await page.locator('[aria-current="date"]').count(), day === today ? 1 : 0, 'today is marked');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  };
  await opensAt(/^Free/, today);
  await opensAt(/^Set/, 'Monday, July 14, 2031');
  await opensAt(/^Past/, 'Tuesday, May 5, 2020');
  await opensAt(/^From/, 'Saturday, March 28, 2026');
  await opensAt(/^To/, 'Friday, April 3, 2026');
  await opens(/^Free/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByText(await daysFromNow(1)).waitFor();
});

t.test('in a dropdown arrow keys only move the focus, and Enter chooses and closes', { skip }, async (t) => {
  const ask = { name: 'update_data', payload: { asked: `\${form.city}` } };
  const city = {
    type: 'Dropdown',
    name: 'city',
    label: 'City',
    'data-source': [{ id: 'off', title: 'Atlantis', enabled: false }, ...options('Accra', 'Beira', 'Cairo')],
    'on-select-action': ask,
  };
  const many = {
    type: 'Dropdown',
    name: 'word',
    label: 'Word',
    'data-source': options(...['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight']),
  };
  const body = { type: 'TextBody', text: `\`'Asked: ' \${data.asked}\`` };
  const data = { asked: { type: 'string', __example__: 'nothing' } };
  const flow = flowOf(
    screen('LIST', [city, many, body, complete({ city: `\${form.city}`, word: `\${form.word}` })], { terminal: true, data }),
  );
  const { page, failures } = await open(t, flow);
  const keys = async (...names: string[]) => {
    for (const name of names) await page.keyboard.press(name);
  };
  await page.getByRole('button', { name: /^City/ }).focus();
  await keys('Enter');
  await page.locator('dialog[open]').waitFor();
  const focused = 'document.activeElement.closest("label").textContent';
  t.equal(await page.evaluate(focused), 'Accra', 'the first enabled option');
  await keys('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'Home', 'ArrowRight');
  t.equal(await page.evaluate(focused), 'Beira');
  t.equal(await page.getByRole('radio', { checked: true }).count(), 0);
  t.equal(await page.getByText('Asked: nothing').count(), 1, 'arrow keys ran no action');
  await keys('Enter');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.getByText('Asked: beira').waitFor();
  t.equal(await page.evaluate('document.activeElement.id'), 'input-city');
  await keys('Enter');
  await page.locator('dialog[open]').waitFor();
  t.equal(await page.evaluate(focused), 'Beira', 'the chosen option');
  await keys('Escape');

  await page.getByRole('button', { name: /^Word/ }).click();
  await page.getByLabel('Search').fill('th');
  await keys('ArrowDown');
  t.equal(await page.evaluate(focused), 'Three');
  await page.getByLabel('Search').fill('e');
  await page.getByLabel('Search').fill('ei');
  await keys('Enter');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Word.*Eight/ }).waitFor();
  await page.getByRole('button', { name: 'Finish' }).click();
  t.match(JSON.parse((await page.locator('#response').textContent())!), { city: 'beira', word: 'eight' });
  t.strictSame(failures, []);
});

t.test('groups in right-to-left text are mirrored, also on a left-to-right screen', { skip }, async (t) => {
  const group = (type: string, name: string, label: string, titles: string[]) => ({
    type,
    name,
    label,
    'data-source': titles.map((title, i) => ({ id: `${name}${i}`, title })),
  });
  const fields = [
    group('RadioButtonsGroup', 'ar', 'اختر خيارا', ['نعم', 'لا', 'Maybe']),
    group('CheckboxGroup', 'he', 'בחר', ['אחת', 'שתיים']),
    group('RadioButtonsGroup', 'en', 'Choose', ['Yes', 'No']),
    complete(),
  ];
  const { page } = await open(t, flowOf(screen('MIXED', fields, { terminal: true, title: 'Survey' })));
  t.equal(await page.locator('.screen').getAttribute('dir'), 'ltr');
  const box = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
  const content = await box('.content');
  const middle = content.x + content.width / 2;
  for (const id of ['#input-ar', '#input-he']) {
    const [legend, mark, title] = [await box(`${id} legend`), await box(`${id} input`), await box(`${id} .row-title bdi`)];
    t.ok(legend.x + legend.width > middle + 100, `${id}: the label starts on the right`);
    t.ok(mark.x + mark.width < middle, `${id}: the mark is at the end of its row, on the left`);
    t.ok(title.x > middle, `${id}: the text starts on the right`);
  }
  const maybe = (await page.locator('#input-ar bdi', { hasText: 'Maybe' }).boundingBox())!;
  t.ok(maybe.x > middle, 'an option in another language is aligned with the others');
  t.ok((await box('#input-en input')).x > middle, 'a left-to-right group is not mirrored');
  t.ok((await box('#input-en .row-title bdi')).x < middle);
  t.strictSame(await violationsInBothThemes(page), []);
});

t.test('an undeclared reference is marked in its place', { skip }, async (t) => {
  const fields = [
    { type: 'TextHeading', text: `\${data.heading}` },
    { type: 'TextBody', text: `\`'Hello ' \${data.name} '!'\`` },
    { type: 'TextBody', text: `\${data.empty}` },
    { type: 'TextInput', name: 'x', label: `\${screen.B.data.label}` },
    { type: 'Dropdown', name: 'd', label: 'City', 'data-source': `\${data.cities}` },
    { ...complete(), label: `\${data.go}` },
  ];
  const data = { empty: { type: 'string', __example__: '' } };
  const { page } = await open(t, flowOf(screen('A', fields, { terminal: true, title: `\${data.title}`, data })));
  await page.getByRole('button', { name: 'Preview anyway' }).click();
  const marks = await page.locator('.undeclared').allTextContents();
  t.strictSame(
    marks.map((mark) => mark.replace('Not declared: ', '')),
    ['title', 'heading', 'name', '', 'cities', 'go'].map((name) => (name === '' ? `\${screen.B.data.label}` : `\${data.${name}}`)),
  );
  t.equal(await page.getByText('Hello').textContent(), `Hello Not declared: \${data.name}!`);
  t.strictSame(await violationsInBothThemes(page), []);
});

t.test('on a wide page, problems and log are beside the phone, and sheets stay over the phone', { skip }, async (t) => {
  const link = { type: 'EmbeddedLink', text: 'Read', 'on-click-action': { name: 'open_url', url: 'https://example.org' } };
  const flow = flowOf(screen('A', [{ type: 'Nonsense' }, link, complete()], { terminal: true }));
  const { page } = await open(t, flow, 'interactive=true&debug=true', { width: 1280 });
  const panel = page.getByRole('complementary', { name: 'Problems' });
  await panel
    .getByText(/unknown component/i)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Read' }).click();
  await page.locator('dialog[open]').waitFor();
  const [phone, sheet] = [(await page.locator('.device').boundingBox())!, (await page.locator('dialog').boundingBox())!];
  t.ok(sheet.x >= phone.x && sheet.x + sheet.width <= phone.x + phone.width, `${sheet.x} in ${phone.x} to ${phone.x + phone.width}`);
  t.strictSame(await violationsInBothThemes(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Log' }).click();
  await page.getByRole('complementary', { name: 'Log' }).getByText('open_url on A').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  t.equal(await page.getByRole('complementary').count(), 0);
  await page.setViewportSize({ width: 430, height: 800 });
  await page.getByRole('button', { name: '1 problem' }).click();
  t.equal(await page.locator('.screen').count(), 0, 'on a narrow page the panel replaces the phone');
});
