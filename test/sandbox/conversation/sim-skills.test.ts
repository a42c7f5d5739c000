import t from 'tap';
import { openSimulation } from '../../../sandbox/conversation/simulate.js';

const NOTEBOOK =
  'card A do\n  r = app("demo", "score", ["x"])\n  then(Good when r.success == true)\n  then(Bad when r.success == false)\nend\ncard Good do\n  text("good @r.result")\nend\ncard Bad do\n  text("bad")\nend\n';

t.test('stand-ins answer for the skills and apps of a journey in a file', async (t) => {
  const cwd = t.testdir({
    'app.md': NOTEBOOK,
    'good.json': '{"demo/score": {"output": "7 \\u2028 `x`"}}',
    'bad.yaml': 'skills:\n  demo/score: { error: busy }\n',
    'code.yaml': 'demo/score: { file: score.js }\n',
    'score.js': 'export default () => 6 + 1',
    'wrong.yaml': 'demo/score: 7\n',
  });
  const play = async (skills?: string) => {
    const warned: string[] = [];
    const simulation = await openSimulation('app.md', { cwd, number: undefined, skills, warn: (line) => warned.push(line) });
    try {
      return { message: (await simulation.turn({})).message, warned };
    } finally {
      await simulation.close();
    }
  };
  t.match(await play('good.json'), { message: /^good/, warned: [] });
  t.match(await play('bad.yaml'), { message: 'bad', warned: [] });
  t.match(await play('code.yaml'), { message: /^good/ });
  t.match(await play(), { message: /skill_not_found/, warned: [/demo\/score.*--skills/] });
  await t.rejects(play('wrong.yaml'), { message: /wrong\.yaml: .*write \{"NAME"/ });
  await t.rejects(play('none.yaml'), { message: /none\.yaml cannot be read/ });
  await t.rejects(openSimulation('some-journey', { cwd: '/', number: undefined, skills: 'good.json', warn: () => {} }), {
    message: /--skills is for a journey in a file/,
  });
});
