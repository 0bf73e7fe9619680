/**
 * @file The picture of a graph: layers that open to their ops, the highlighted path of the gradient, and where it is
 * disconnected. Details of a node are shown below when it is hovered or focused.
 */
import type { Graph, GraphEdge, GraphNode } from '../../protocol.ts';
import { element, svgElement } from '../element.ts';
import { type Box, type Layout, layOut, type Placed } from './layout.ts';
import type { OutputView } from './view.ts';

interface Part {
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
}

/** Size of text in a node, in pixels per character. */
const [charWidth, lineHeight] = [6.5, 16];
const padding = { x: 12, y: 9, inside: 16 };

/** The height of a node's text. */
const headOf = ({ outputs }: GraphNode) => (1 + outputs.length) * lineHeight + 2 * padding.y;

export function graphView(): OutputView<'graph'> {
  const canvas = element('div', { class: 'canvas' });
  const detail = element('p', { class: 'detail', 'aria-live': 'polite' });
  const root = element('div', { class: 'graph' }, canvas, detail);
  const opened = new Set<string>();
  let graph: Graph | null = null;
  const draw = (focus?: string) => {
    if (!graph) return;
    const drawing = new Drawing(opened, (node) => tell(detail, node), toggle);
    canvas.replaceChildren(drawing.svg(graph));
    // Scrolls to the middle if it is wider than the screen.
    canvas.scrollLeft = (canvas.scrollWidth - canvas.clientWidth) / 2;
    if (focus) canvas.querySelector<SVGGElement>(`[data-id="${focus}"]`)?.focus();
  };
  const toggle = (id: string) => {
    if (!opened.delete(id)) opened.add(id);
    draw(id);
  };
  return {
    kind: 'graph',
    root,
    update: (output) => {
      graph = output.graph;
      opened.clear();
      detail.textContent = 'Point at a node, or press Tab. Enter opens a layer.';
      draw();
    },
  };
}

function tell(detail: HTMLElement, { name, kind, outputs, bytes, lit, stops, inside }: GraphNode): void {
  const what = { op: 'op', layer: 'layer', leaf: 'tensor' }[kind];
  const gradient = stops
    ? `the gradient stops here: ${stops}`
    : lit
      ? 'the gradient passes here'
      : 'no gradient here';
  const open = inside ? ' Click or Enter opens it.' : '';
  detail.textContent =
    `${name} (${what}): ${outputs.join(', ')}, ${formatBytes(bytes)}; ${gradient}.${open}`.replace('..', '.');
}

function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

class Drawing {
  readonly #layouts = new Map<string, Layout>();

  constructor(
    readonly opened: ReadonlySet<string>,
    readonly onPoint: (node: GraphNode) => void,
    readonly onToggle: (id: string) => void,
  ) {}

  svg({ label, nodes, edges, disconnectedAt }: Graph): SVGSVGElement {
    const bridge = disconnectedAt ? [{ from: disconnectedAt.from, to: disconnectedAt.to }] : [];
    const layout = this.#layOut(nodes, [...edges, ...bridge]);
    const margin = 12;
    const [width, height] = [layout.width + 2 * margin, layout.height + 2 * margin];
    const inner = svgElement('g', { transform: `translate(${margin} ${margin})` });
    this.#draw(inner, { nodes, edges }, layout);
    if (disconnectedAt) this.#drawDisconnection(inner, layout, disconnectedAt);
    return svgElement(
      'svg',
      { viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': label },
      inner,
    );
  }

  #layOut(nodes: readonly GraphNode[], edges: readonly { from: string; to: string }[]): Layout {
    const boxes: Box[] = nodes.map((node) => {
      const words = Math.max(node.name.length, ...node.outputs.map((spec) => spec.length * 0.92));
      const least = {
        id: node.id,
        width: words * charWidth + 2 * padding.x,
        height: headOf(node),
      };
      if (!this.#isOpen(node)) return least;
      const inside = this.#layOut(node.inside!.nodes, node.inside!.edges);
      this.#layouts.set(node.id, inside);
      return {
        id: node.id,
        width: Math.max(least.width, inside.width + 2 * padding.inside),
        height: inside.height + headOf(node) + padding.inside,
      };
    });
    return layOut(boxes, edges);
  }

  #isOpen = (node: GraphNode) => node.inside !== null && this.opened.has(node.id);

  #draw(parent: SVGGElement, { nodes, edges }: Part, layout: Layout): void {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const known = new Set(edges.map(({ from, to }) => `${from} ${to}`));
    const lines = layout.routes.filter(({ from, to }) => known.has(`${from} ${to}`));
    const isLit = (from: string, to: string) =>
      byId.get(from)?.lit && (byId.get(to)?.lit || byId.get(to)?.stops);
    for (const { from, to, points } of lines) {
      const path = svgElement('path', { d: curve(points), class: isLit(from, to) ? 'edge lit' : 'edge' });
      parent.append(path);
    }
    for (const node of nodes) parent.append(this.#node(node, layout.boxes.get(node.id)!));
  }

  #node(node: GraphNode, { x, y, width, height }: Placed): SVGGElement {
    const open = this.#isOpen(node);
    const group = svgElement('g', {
      class: `node ${node.kind}${node.lit ? ' lit' : ''}${node.stops ? ' stops' : ''}${open ? ' open' : ''}`,
      transform: `translate(${x - width / 2} ${y})`,
    });
    const face = svgElement(
      'g',
      {
        'data-id': node.id,
        class: 'face',
        tabindex: 0,
        role: node.inside ? 'button' : 'img',
        'aria-expanded': node.inside ? String(open) : null,
        'aria-label': `${node.name}, ${node.outputs.join(', ')}${node.lit ? ', gradient passes' : ''}`,
      },
      svgElement('rect', { width, height, rx: node.kind === 'leaf' ? Math.min(height / 2, 18) : 8 }),
      svgElement(
        'text',
        { x: width / 2, y: padding.y + 12, class: 'name' },
        `${node.inside ? (open ? '− ' : '+ ') : ''}${node.name}`,
      ),
      ...node.outputs.map((spec, i) =>
        svgElement('text', { x: width / 2, y: padding.y + 12 + (i + 1) * lineHeight, class: 'spec' }, spec),
      ),
    );
    const point = () => this.onPoint(node);
    face.addEventListener('pointerenter', point);
    face.addEventListener('focus', point);
    if (node.inside) {
      face.addEventListener('click', () => this.onToggle(node.id));
      face.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        this.onToggle(node.id);
      });
    }
    group.append(face);
    const layout = this.#layouts.get(node.id);
    if (open && layout) {
      const left = (width - layout.width) / 2;
      const inner = svgElement('g', { transform: `translate(${left} ${headOf(node)})` });
      this.#draw(inner, node.inside!, layout);
      group.append(inner);
    }
    return group;
  }

  /** A broken line, with a mark on it. */
  #drawDisconnection(
    parent: SVGGElement,
    layout: Layout,
    disconnectedAt: NonNullable<Graph['disconnectedAt']>,
  ): void {
    const route = layout.routes.find(
      ({ from, to }) => from === disconnectedAt.from && to === disconnectedAt.to,
    );
    if (!route) return;
    const [start, end] = [route.points[0]!, route.points.at(-1)!];
    const [x, y] = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2];
    parent.append(
      svgElement('path', { d: curve(route.points), class: 'edge disconnected' }),
      svgElement(
        'g',
        {
          transform: `translate(${x} ${y})`,
          class: 'mark',
          role: 'img',
          'aria-label': `Disconnected: ${disconnectedAt.why}`,
        },
        svgElement('circle', { r: 8.5 }),
        svgElement('path', { d: 'M-3.5 -3.5L3.5 3.5M3.5 -3.5L-3.5 3.5' }),
        svgElement('text', { x: 15, y: 4 }, 'disconnected here'),
      ),
    );
  }
}

/** A curve through all points, vertical at each. */
function curve(points: readonly (readonly [number, number])[]): string {
  const [[x, y], ...rest] = points as [readonly [number, number], ...(readonly [number, number])[]];
  let [fromX, fromY] = [x, y];
  const parts = [`M${x} ${y}`];
  for (const [toX, toY] of rest) {
    const bend = (toY - fromY) / 2;
    parts.push(`C${fromX} ${fromY + bend} ${toX} ${toY - bend} ${toX} ${toY}`);
    [fromX, fromY] = [toX, toY];
  }
  return parts.join('');
}
