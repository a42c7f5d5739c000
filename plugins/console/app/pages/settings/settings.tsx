import type { ComponentChildren } from 'preact';
import { useLocation, useParams } from 'wouter-preact';
import { addSheet } from '../../components/page-sheet.js';
import { Tabs } from '../../components/tabs.js';
import settingsSheet from '../../styles/settings.page.css';
import { About } from './about.js';
import { Cassettes } from './cassettes.js';
import { ClockSettings } from './clock.js';
import { Connections } from './connections.js';
import { Faults } from './faults.js';
import { Plugins } from './plugins.js';
import { Retention } from './retention.js';
import { SeedSettings } from './seed.js';
import { StateSettings } from './state.js';
import { Switches } from './switches.js';
import { texts } from './texts.js';

addSheet(settingsSheet);

const parts: readonly { readonly id: string; readonly label: string; readonly content: () => ComponentChildren }[] = [
  { id: 'clock', label: texts.clock, content: () => <ClockSettings /> },
  { id: 'faults', label: texts.faults, content: () => <Faults /> },
  { id: 'state', label: texts.state, content: () => <StateSettings /> },
  { id: 'seed', label: texts.seed, content: () => <SeedSettings /> },
  { id: 'switches', label: texts.switches, content: () => <Switches /> },
  { id: 'plugins', label: texts.plugins, content: () => <Plugins /> },
  { id: 'connections', label: texts.aiConnections, content: () => <Connections /> },
  { id: 'cassettes', label: texts.cassettes, content: () => <Cassettes /> },
  { id: 'retention', label: texts.retention, content: () => <Retention /> },
  { id: 'about', label: texts.versions, content: () => <About /> },
];

/** The settings of the platform, and what only a sandbox has: its clock, faults, state, seed and cassettes. */
export default function Settings() {
  const { id = 'clock' } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  return (
    <div class="content">
      <h1>{texts.settings}</h1>
      <Tabs label={texts.partsOfTheSettings} current={id} select={(part) => navigate(`/settings/${part}`)} tabs={parts} />
    </div>
  );
}
