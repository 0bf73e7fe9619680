import { DeviceLostError, init, stack, tidy } from 'retrograd';

/**
 * Start, pause, resume, reset. `make()` returns a job: { descents, show(),
 * dispose() }. Steps run in batches of about a tenth of a second; then the
 * losses are read back, and the picture is shown. `check()` throws if no job
 * can be made with the current settings; the running one then continues.
 */
export function trainer(page, make, check = () => {}) {
  const { remembered } = page;
  let job = null;
  let device = null;
  let saved = null;
  let running = false;
  let batch = 1;
  let speed = '';
  // A request to make the job again that waits for its turn.
  let asked = null;
  // One thing at a time: a batch of steps, or a job created again.
  let last = Promise.resolve();
  const inTurn = (body) => {
    const turn = last.then(body);
    last = turn.catch(() => {});
    return turn;
  };

  const status = page.status('Ready. Nothing runs until you start it.');
  const buttons = page.buttons({
    start: {
      label: 'Start',
      primary: true,
      press: () => (running ? pause() : start()),
    },
    reset: { label: 'Reset', disabled: true, press: () => reset() },
  });
  const curves = page.curves([]);

  async function start() {
    running = remembered.running = true;
    buttons.update({ start: { label: 'Pause' }, reset: { disabled: false } });
    if (!job) status.update('Preparing: kernels are compiled …');
    try {
      while (running) await inTurn(steps);
    } catch (error) {
      pause();
      status.update('Stopped: what went wrong stands above.');
      throw error;
    }
  }

  function pause() {
    running = remembered.running = false;
    buttons.update({ start: { label: saved ? 'Resume' : 'Start' } });
  }

  /** One batch. */
  async function steps() {
    if (!running) return;
    await outliving(async () => {
      await ready();
      const begun = performance.now();
      for (const descent of Object.values(job.descents))
        await advance(descent, batch);
      const seconds = (performance.now() - begun) / 1000;
      speed = `${(batch / seconds).toFixed(1)} steps/s`;
      batch = Math.max(1, Math.min(50, Math.round((batch * 0.1) / seconds)));
      saved = await savedState(job);
      await show();
    });
  }

  /** Makes the job if there is none, and restores what was saved. */
  async function ready() {
    device = await init();
    if (job) return;
    check();
    // A reset is on its way: the settings that it follows may not fit what was saved.
    if (asked?.keep === false) saved = null;
    job = await make();
    for (const [name, state] of Object.entries(saved ?? {}))
      job.descents[name].restore(state);
  }

  const isLost = () => device?.isLost ?? false;

  /** If the device is lost, opens it again, and restarts `body` with what was saved. */
  async function outliving(body) {
    for (let losses = 0; ; losses++) {
      if (isLost()) await reopen();
      try {
        return await body();
      } catch (error) {
        const lost = isLost() || error instanceof DeviceLostError;
        if (!lost || losses === 5) throw error;
        await reopen();
      }
    }
  }

  async function reopen() {
    status.update(
      'The GPU was lost. It is opened again, and the run goes on from the last step shown …',
    );
    // Its tensors are lost with the device.
    job = null;
    device = await init();
  }

  async function show() {
    const all = Object.entries(job.descents);
    const step = all[0][1].losses.length;
    const losses = all.map(
      ([name, descent]) => `${name} ${descent.losses.at(-1)?.toPrecision(3)}`,
    );
    if (step > 0)
      status.update(`Step ${step}, ${speed}. Now: ${losses.join(', ')}.`);
    curves.update(
      all.map(([name, descent]) => ({ name, points: thinned(descent.losses) })),
    );
    await job.show();
  }

  /** Restarts with the settings as they are. */
  const reset = () => renew({ keep: false });

  /** Makes the job again; with `keep`, it continues where it was. Several requests while it is busy count as one. */
  function renew({ keep }) {
    if (asked) {
      asked.keep &&= keep;
      return asked.done;
    }
    asked = { keep };
    asked.done = inTurn(renewNow);
    return asked.done;
  }

  async function renewNow() {
    const { keep } = asked;
    asked = null;
    check();
    if (!keep) saved = null;
    await outliving(async () => {
      if (job && keep) saved = await savedState(job);
      job?.dispose();
      job = null;
      await ready();
      await show();
    });
    if (!keep && !running) {
      buttons.update({ start: { label: 'Start' }, reset: { disabled: true } });
      status.update('Back at the start.');
    }
  }

  page.onEnd(() => {
    running = false;
    inTurn(() => job?.dispose()).catch(() => {});
  });
  if (remembered.running) start().catch(page.fail);
  const began = () => running || job !== null || saved !== null;
  return { reset, renew, isLost, began, current: () => job };
}

async function advance(descent, count) {
  const losses = Array.from({ length: count }, () => tidy(descent.step));
  const values = tidy(() => stack(losses));
  for (const loss of losses) loss.dispose();
  descent.losses.push(...(await values.data()));
  values.dispose();
}

async function savedState({ descents }) {
  const states = Object.entries(descents).map(async ([name, descent]) => [
    name,
    await descent.save(),
  ]);
  return Object.fromEntries(await Promise.all(states));
}

/** At most 200 points, so that plots stay fast in long runs. */
function thinned(losses) {
  const every = Math.ceil(losses.length / 200);
  return losses
    .map((loss, step) => [step + 1, loss])
    .filter(([step]) => step % every === 0 || step === losses.length);
}
