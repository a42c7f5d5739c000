import { render } from 'preact';
import { languageOfPage } from '../../../core/web/language.js';
import { startLive } from './data/live.js';
import { startOperator } from './data/operator.js';
import { startTheme } from './data/preferences.js';
import { startShortcuts } from './data/shortcuts.js';
import { App } from './shell/app.js';

Object.assign(document.documentElement, languageOfPage);
startTheme();
startShortcuts();
void startOperator().then(startLive);
const root = document.getElementById('app')!;
root.replaceChildren();
render(<App />, root);
