import { useEffect, useRef } from 'preact/hooks';
import { Route, Router, Switch, useLocation } from 'wouter-preact';
import { Boundary } from '../components/boundary.js';
import { lazyPart } from '../components/lazy-part.js';
import { Empty } from '../components/status.js';
import { Time } from '../components/time.js';
import { CONSOLE_PATH } from '../data/address.js';
import { admin, isSignedOut, reasonOf } from '../data/admin.js';
import { announce, announcement } from '../data/announce.js';
import { live } from '../data/live.js';
import { replacedBy } from '../data/operator.js';
import { POSTHORN } from '../data/own-command.js';
import { Header } from './header.js';
import { Navigation } from './navigation.js';
import { pages } from './pages.js';
import { texts } from './texts.js';

const PluginPage = lazyPart(() => import('../pages/plugin-page/plugin-page.js'));

/** The frame of the console: header, navigation, and the page of the current URL. */
export const App = () => (
  <Router base={CONSOLE_PATH}>
    <a class="skip" href="#page">
      {texts.skipToThePage}
    </a>
    {replacedBy.value === undefined && (
      <>
        <Header />
        <Navigation />
      </>
    )}
    <Disconnected />
    <Main />
    <p class="unseen" aria-live="polite">
      {announcement}
    </p>
  </Router>
);

/** The rules of a page's style sheet begin with its name in `data-page`, so that they do not apply to other pages. */
function Main() {
  const [location] = useLocation();
  const page = location.split('/')[1] || 'overview';
  const main = useRef<HTMLElement>(null);
  const shown = useRef(page);
  // The focus would stay on the link or key that led here, or be lost with the previous page.
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    main.current!.focus();
    announce(currentPage(location)?.title ?? texts.noSuchPage);
  }, [page]);
  return (
    <main ref={main} id="page" tabIndex={-1} data-page={page} class={live.state.value === 'lost' ? 'is-old' : undefined}>
      {isSignedOut.value ? (
        <SignedOut />
      ) : replacedBy.value === undefined ? (
        <CurrentPage location={location} />
      ) : (
        <Replaced name={replacedBy.value} />
      )}
    </main>
  );
}

/** Above the page while no changes arrive: a reader must not take old data for the present. */
function Disconnected() {
  if (live.state.value !== 'lost' || isSignedOut.value || replacedBy.value !== undefined) return null;
  return (
    <p class="disconnected" role="alert">
      {texts.theConnectionToThePlatform(<Time at={new Date(live.heardAt.value).toISOString()} />)}
    </p>
  );
}

const currentPage = (location: string) => pages.find(({ path }) => (path === '/' ? location === '/' : location.startsWith(path)));

function CurrentPage({ location }: { location: string }) {
  const current = currentPage(location);
  useEffect(() => {
    document.title = texts.posthornConsole(current?.title ?? texts.noSuchPage);
  }, [current]);
  return (
    <Switch>
      {pages.map(({ path, page: Page }) => (
        <Route key={path} path={path === '/' ? '/' : `${path}/:id?`}>
          <Boundary key={path}>
            <Page />
          </Boundary>
        </Route>
      ))}
      <Route path="/plugins/:plugin/:name">
        <Boundary key={location}>
          <PluginPage />
        </Boundary>
      </Route>
      <Route>
        <Empty title={texts.theConsoleHasNoSuch} isPage>
          <p>{texts.theAddressMayBeOf}</p>
        </Empty>
      </Route>
    </Switch>
  );
}

/** The page still has what the previous operator may see. */
const Replaced = ({ name }: { name: string }) => (
  <Empty title={texts.anotherOperatorIsSignedIn} isPage>
    <p>{texts.thisBrowserIsNowSigned(name)}</p>
    <p>
      <button type="button" class="button" onClick={() => location.reload()}>
        {texts.loadThePageAgain}
      </button>
    </p>
  </Empty>
);

/** Where the host application signs operators in; empty if they sign in with a code. */
const SIGN_IN_URL = document.body.dataset.signIn ?? '';

/** Another tab may have signed in meanwhile: the page is loaded again as soon as the server accepts the session of the browser. */
function SignedOut() {
  useEffect(() => {
    addEventListener('focus', tryAgain);
    return () => removeEventListener('focus', tryAgain);
  }, []);
  return (
    <Empty title={texts.thisBrowserIsNotSigned} isPage>
      {SIGN_IN_URL === '' && <p>{texts.runOpenInTheFolder(POSTHORN)}</p>}
      <p class="buttons">
        {SIGN_IN_URL !== '' && (
          <a class="button" href={SIGN_IN_URL}>
            {texts.signIn}
          </a>
        )}
        <button type="button" class="button outlined" onClick={tryAgain}>
          {texts.tryAgain}
        </button>
      </p>
    </Empty>
  );
}

const tryAgain = (): void =>
  void admin('GET', '/me').then(
    () => location.reload(),
    (error: unknown) => announce(reasonOf(error)),
  );
