// The search of the reference. Without it every operation is shown.
const search = document.getElementById('search');
const filter = document.getElementById('filter');
const found = document.getElementById('found');
const none = document.getElementById('none');
const sections = [...document.querySelectorAll('main > section[id]')];
const entries = [...document.querySelectorAll('main > section[id] > article')].map((article) => ({
  article,
  link: document.querySelector(`#index li a[href="#${article.id}"]`)?.parentElement,
  // Of a schema its name; its fields are those of many.
  text: (article.id.startsWith('schema-') ? article.querySelector('h3') : article).textContent.toLowerCase(),
}));

function apply() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { article, link, text } of entries) {
    const isShown = words.every((word) => text.includes(word));
    article.hidden = !isShown;
    if (link) link.hidden = !isShown;
    if (isShown) count++;
  }
  for (const section of sections) section.hidden = !section.querySelector(':scope > article:not([hidden])');
  for (const list of document.querySelectorAll('#index ul')) {
    list.hidden = !list.querySelector('li:not([hidden])');
    list.previousElementSibling.hidden = list.hidden;
  }
  found.textContent = words.length > 0 ? `${count} found` : '';
  none.hidden = count > 0;
}

search.hidden = false;
filter.addEventListener('input', apply);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !event.ctrlKey && !event.metaKey && document.activeElement !== filter) {
    event.preventDefault();
    filter.focus();
  }
  if (event.key === 'Escape' && document.activeElement === filter) {
    filter.value = '';
    apply();
  }
});
// A link into what the search has hidden shows everything again.
addEventListener('hashchange', () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target?.closest('[hidden]')) return;
  filter.value = '';
  apply();
  target.scrollIntoView();
});
// On narrow screens the contents would come before everything else.
if (matchMedia('(max-width: 60rem)').matches) document.querySelector('#index > details').open = false;
apply();
