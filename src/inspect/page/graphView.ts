/** @file The graph of a step: layers that open to ops, with pan and zoom. */
import type { StepReportData } from '../step/reportData.ts';
import { callDetails, inputDetails, layerDetails } from './details.ts';
import { h, s } from './dom.ts';
import { bytesText, specText, timeText } from './format.ts';
import { type GraphChoice, type GraphNode, graphOf, type GraphRoot } from './graphModel.ts';
import { type Box, layOut, type Placed } from './layout.ts';
import { LayerIndex, totalsOf } from './totals.ts';
import { Viewport } from './viewport.ts';

/** A node with its size, and the content of an open one. */
interface Drawing extends Box {
  readonly node: GraphNode;
  readonly title: string;
  readonly lines: readonly string[];
  readonly inside: DrawnLevel | null;
}

interface DrawnLevel {
  readonly placed: Placed;
  readonly drawings: readonly Drawing[];
}

const headHeight = 34;
const padding = 16;
const characterWidth = 7.9;

export class GraphView {
  readonly element: HTMLElement;
  readonly #canvas = s('svg', { class: 'graph', role: 'group', 'aria-label': 'Graph of the step' });
  readonly #panel = h('section', { class: 'details', 'aria-label': 'Details', 'aria-live': 'polite' });
  readonly #open = new Set<string>();
  readonly #index: LayerIndex;
  readonly #viewport: Viewport;
  #choice: GraphChoice = { direction: 'forward', all: false };
  #root: GraphRoot;
  #selected = '';
  #drawn: DrawnLevel | null = null;

  constructor(private readonly data: StepReportData) {
    this.#index = new LayerIndex(data);
    this.#viewport = new Viewport(this.#canvas);
    this.#root = graphOf(data, this.#choice);
    this.#openOutermost();
    this.element = h(
      'div',
      { class: 'graphs' },
      h('div', { class: 'canvas' }, this.#toolbar(), this.#canvas),
      this.#panel,
    );
    this.#showHelp();
  }

  /** Draws the graph; call it when the element has a size. */
  show(): void {
    this.#draw();
    this.#fit();
  }

  /** Opens the layers around a call, and shows its details. */
  reveal(call: number): void {
    const found = this.data.calls[call];
    if (!found) return;
    const direction = found.backward ? 'backward' : 'forward';
    this.#choice = { direction, all: this.#choice.all || !found.leadsToLoss };
    this.#root = graphOf(this.data, this.#choice);
    for (let id = found.layer; id !== null; id = this.data.layers[id]?.parent ?? null)
      this.#open.add(`layer${id}`);
    this.#selected = `call${call}`;
    this.#panel.replaceChildren(...callDetails(this.#index, found));
    this.show();
    this.#syncToolbar();
    this.#viewport.centre(this.#canvas.querySelector<SVGGElement>('.node.selected'));
  }

  #toolbar(): HTMLElement {
    const button = (label: string, title: string, act: () => void) =>
      h('button', { type: 'button', title, 'aria-label': title, onclick: act }, label);
    const direction = (value: GraphChoice['direction']) =>
      h(
        'button',
        {
          type: 'button',
          'data-direction': value,
          'aria-pressed': String(this.#choice.direction === value),
          onclick: () => this.#choose({ ...this.#choice, direction: value }),
        },
        value === 'forward' ? 'Forward' : 'Backward',
      );
    const whole = h('input', {
      type: 'checkbox',
      onchange: (event) => this.#choose({ ...this.#choice, all: (event.target as HTMLInputElement).checked }),
    });
    return h(
      'div',
      { class: 'toolbar' },
      h(
        'div',
        { class: 'segmented', role: 'group', 'aria-label': 'Direction' },
        direction('forward'),
        direction('backward'),
      ),
      h('label', { class: 'check' }, whole, 'whole step'),
      h(
        'div',
        { class: 'buttons' },
        button('open all', 'Open all layers', () => this.#openAll(true)),
        button('close', 'Close all layers', () => this.#openAll(false)),
        button('−', 'Zoom out', () => this.#viewport.zoom(1.25)),
        button('+', 'Zoom in', () => this.#viewport.zoom(0.8)),
        button('fit', 'Fit the graph into the picture', () => this.#fit()),
      ),
    );
  }

  #syncToolbar(): void {
    for (const button of this.element.querySelectorAll('[data-direction]'))
      button.setAttribute(
        'aria-pressed',
        String(button.getAttribute('data-direction') === this.#choice.direction),
      );
    const whole = this.element.querySelector<HTMLInputElement>('.toolbar input');
    if (whole) whole.checked = this.#choice.all;
  }

  #choose(choice: GraphChoice): void {
    this.#choice = choice;
    this.#root = graphOf(this.data, choice);
    this.#openOutermost();
    this.#syncToolbar();
    this.show();
  }

  /** Opens a model that is the only node, which would show nothing while closed. */
  #openOutermost(): void {
    let level: GraphRoot = this.#root;
    for (;;) {
      const layers: GraphNode[] = level.children.filter(({ kind }) => kind === 'layer');
      const [only] = layers;
      if (layers.length !== 1 || only?.kind !== 'layer') return;
      this.#open.add(only.id);
      level = only;
    }
  }

  #openAll(open: boolean): void {
    this.#open.clear();
    if (open) for (const { id } of this.data.layers) this.#open.add(`layer${id}`);
    else this.#openOutermost();
    this.show();
  }

  #toggle(id: string): void {
    if (!this.#open.delete(id)) this.#open.add(id);
    this.#draw();
  }

  #draw(): void {
    this.#drawn = this.#layOut(this.#root);
    const { placed, drawings } = this.#drawn;
    this.#canvas.replaceChildren(arrowHead(), this.#group(placed, drawings));
    this.#viewport.setSize(placed.width, placed.height);
  }

  /** If the graph is too wide, shows its beginning. */
  #fit(): void {
    this.#viewport.fit(beginningOf(this.#drawn));
  }

  #layOut(level: GraphRoot): DrawnLevel {
    const drawings = level.children.map((node) => this.#measure(node));
    return { placed: layOut(drawings, level.links), drawings };
  }

  #measure(node: GraphNode): Drawing {
    const { title, lines } = this.#words(node);
    const inside = node.kind === 'layer' && this.#open.has(node.id) ? this.#layOut(node) : null;
    const longest = Math.max(
      title.length + (node.kind === 'layer' ? 3 : 0),
      ...lines.map((line) => 0.82 * line.length),
    );
    const width = Math.max(110, longest * characterWidth + 28);
    if (!inside) return { id: node.id, node, title, lines, inside, width, height: 30 + 16 * lines.length };
    return {
      id: node.id,
      node,
      title,
      lines,
      inside,
      width: Math.max(width, inside.placed.width + 2 * padding),
      height: inside.placed.height + headHeight + padding,
    };
  }

  #words(node: GraphNode): { title: string; lines: string[] } {
    if (node.kind === 'input') return { title: node.title, lines: [specText(node.tensor)] };
    if (node.kind === 'call') {
      const { op, outputs, backward } = node.call;
      const shapes = outputs.flatMap((id) => this.data.tensors[id] ?? []).map(specText);
      const time = timeText(totalsOf([node.call]).milliseconds);
      return {
        title: backward && backward.op !== op ? `${op} · ∇${backward.op}` : op,
        lines: [`${shapes.join(', ')} · ${time}`],
      };
    }
    const { layer } = node;
    const calls = this.#callsOf(node);
    const last = this.#index.lastOf(layer);
    const output = last && this.data.tensors[last.outputs[0] as number];
    const { milliseconds, bytes } = totalsOf(calls);
    const shape = this.#choice.direction === 'forward' && output ? `${specText(output)} · ` : '';
    const what = `${layer.className} · ${calls.length} ${calls.length === 1 ? 'op' : 'ops'}`;
    return {
      title: layer.call > 1 ? `${layer.name} #${layer.call}` : layer.name,
      lines: [what, `${shape}${timeText(milliseconds)} · ${bytesText(bytes)}`],
    };
  }

  #callsOf({ layer }: { readonly layer: Parameters<LayerIndex['callsIn']>[0] }) {
    const isBackward = this.#choice.direction === 'backward';
    return this.#index.callsIn(layer).filter(({ backward }) => (backward !== null) === isBackward);
  }

  #group(placed: Placed, drawings: readonly Drawing[], x = 0, y = 0): SVGGElement {
    const edges = placed.routes.map(({ points }) =>
      s('path', { class: 'edge', d: curve(points), 'marker-end': 'url(#arrow)' }),
    );
    const nodes = drawings.map((drawing) => {
      const at = placed.at.get(drawing.id) ?? { x: 0, y: 0 };
      return this.#node(drawing, at.x, at.y);
    });
    return s('g', { transform: `translate(${x} ${y})` }, ...edges, ...nodes);
  }

  #node(drawing: Drawing, x: number, y: number): SVGGElement {
    const { node, width, height, title, lines, inside } = drawing;
    const isLayer = node.kind === 'layer';
    const classes = [
      'node',
      node.kind,
      inside && 'open',
      node.id === this.#selected && 'selected',
      this.#mark(node),
    ];
    // What is pressed has none of the nodes inside of it: a button can't contain buttons.
    const face = s('g', {
      class: 'face',
      tabindex: 0,
      role: 'button',
      'data-id': node.id,
      'aria-label': `${title}, ${lines.join(', ')}`,
      'aria-expanded': isLayer ? String(inside !== null) : null,
      onclick: (event) => this.#press(event, drawing),
      onkeydown: (event) => this.#key(event as KeyboardEvent, drawing),
    });
    face.append(s('rect', { class: 'body', width, height, rx: isLayer ? 10 : 7 }));
    const share = this.#share(node);
    if (!inside && share > 0.004)
      face.append(
        s('rect', {
          class: 'share',
          x: 8,
          y: height - 5,
          width: Math.max(2, (width - 16) * share),
          height: 2.5,
          rx: 1,
        }),
      );
    face.append(
      s('text', { class: 'title', x: 12, y: 20 }, isLayer ? `${inside ? '▾' : '▸'} ${title}` : title),
    );
    if (!inside)
      face.append(...lines.map((line, i) => s('text', { class: 'line', x: 12, y: 36 + 16 * i }, line)));
    return s(
      'g',
      { class: classes.filter(Boolean).join(' '), transform: `translate(${x} ${y})` },
      face,
      inside && this.#group(inside.placed, inside.drawings, (width - inside.placed.width) / 2, headHeight),
    );
  }

  /** Returns the node's share of the time of the step. */
  #share(node: GraphNode): number {
    if (node.kind === 'input') return 0;
    const { milliseconds } = totalsOf(node.kind === 'call' ? [node.call] : this.#callsOf(node));
    return milliseconds / (this.data.total.milliseconds || 1);
  }

  /** Returns the severity of findings that concern the node; null if there are none. */
  #mark(node: GraphNode): string | null {
    const calls =
      node.kind === 'call' ? [node.call] : node.kind === 'layer' ? this.#index.callsIn(node.layer) : [];
    const ids = new Set(calls.map(({ id }) => id));
    return this.data.findings.find(({ call }) => call !== null && ids.has(call))?.severity ?? null;
  }

  #press(event: Event, drawing: Drawing): void {
    event.stopPropagation();
    if (this.#viewport.wasDragged) return;
    const { node } = drawing;
    this.#select(node);
    if (node.kind === 'layer') this.#toggle(node.id);
    else this.#draw();
  }

  #key(event: KeyboardEvent, drawing: Drawing): void {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    event.stopPropagation();
    this.#viewport.forgetDrag();
    this.#press(event, drawing);
    this.#canvas.querySelector<SVGGElement>(`[data-id="${drawing.id}"]`)?.focus();
  }

  #select(node: GraphNode): void {
    this.#selected = node.id;
    if (node.kind === 'call') this.#panel.replaceChildren(...callDetails(this.#index, node.call));
    else if (node.kind === 'layer') this.#panel.replaceChildren(...layerDetails(this.#index, node.layer));
    else this.#panel.replaceChildren(...inputDetails(node.tensor));
  }

  #showHelp(): void {
    this.#panel.replaceChildren(
      h('h3', {}, 'Graph'),
      h(
        'p',
        { class: 'soft' },
        'A click opens a layer to its ops, and shows shapes, values and kernels here. Drag to move; pinch, or hold Ctrl and turn the wheel, to zoom. The line at the foot of a node is its share of the time.',
      ),
    );
  }
}

/** Returns the centre of the uppermost node that isn't an input, within the open layers around it. */
function beginningOf(level: DrawnLevel | null): number | undefined {
  const places = level?.drawings.flatMap((drawing) => {
    const at = level.placed.at.get(drawing.id);
    return at && drawing.node.kind !== 'input' ? [{ drawing, ...at }] : [];
  });
  const first = places?.reduce((a, b) => (b.y < a.y ? b : a), places[0] as (typeof places)[number]);
  if (!first) return undefined;
  const { width, inside } = first.drawing;
  const within = inside && beginningOf(inside);
  return first.x + (inside && within ? (width - inside.placed.width) / 2 + within : width / 2);
}

function arrowHead(): SVGElement {
  return s(
    'defs',
    {},
    s(
      'marker',
      { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: 'auto' },
      s('path', { class: 'arrow', d: 'M0 0.5 L8 4 L0 7.5 z' }),
    ),
  );
}

/** Returns a smooth line that leaves and arrives vertically. */
function curve(points: readonly (readonly [number, number])[]): string {
  const [first, ...rest] = points as [readonly [number, number], ...(readonly [number, number])[]];
  let path = `M${first[0]} ${first[1]}`;
  let [x, y] = first;
  for (const [toX, toY] of rest) {
    const middle = (y + toY) / 2;
    path += ` C${x} ${middle} ${toX} ${middle} ${toX} ${toY}`;
    [x, y] = [toX, toY];
  }
  return path;
}
