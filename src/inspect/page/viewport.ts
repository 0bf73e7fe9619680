/** @file Pan and zoom of a drawing, by its viewBox. */

const margin = 24;
const max = 4;
/** Units of the drawing per pixel at which its text can still be read: 9 pixels. */
const smallest = 1.25;

export class Viewport {
  #width = 1;
  #height = 1;
  #x = 0;
  #y = 0;
  /** Units of the drawing per pixel. */
  #scale = 1;
  /** The width in pixels for which the drawing was shown last. */
  #seen = 0;
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #moved = 0;

  constructor(private readonly svg: SVGSVGElement) {
    svg.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    svg.addEventListener('pointerdown', (event) => this.#down(event));
    svg.addEventListener('pointermove', (event) => this.#move(event));
    for (const end of ['pointerup', 'pointercancel', 'pointerleave'] as const)
      svg.addEventListener(end, (event) => this.#pointers.delete(event.pointerId));
    new ResizeObserver(() => this.#resize()).observe(svg);
  }

  /** Whether the last press moved the drawing, and therefore wasn't a click. */
  get wasDragged(): boolean {
    return this.#moved > 5;
  }

  forgetDrag(): void {
    this.#moved = 0;
  }

  setSize(width: number, height: number): void {
    [this.#width, this.#height] = [width, height];
    this.#apply();
  }

  /** Shows all of a small drawing; of a large one, the top part around `focus` at a readable scale. */
  fit(focus = this.#width / 2): void {
    const { width, height } = this.#pixels();
    const whole = Math.max((this.#width + 2 * margin) / width, (this.#height + 2 * margin) / height);
    const readable = Math.max(1, Math.min(smallest, (this.#width + 2 * margin) / width));
    this.#scale = Math.max(0.8, Math.min(whole, readable));
    const seen = width * this.#scale;
    const room = this.#width + 2 * margin - seen;
    this.#x =
      room <= 0
        ? (this.#width - seen) / 2
        : Math.min(Math.max(focus - seen / 2, -margin), this.#width + margin - seen);
    this.#y = whole > this.#scale ? -margin : (this.#height - height * this.#scale) / 2;
    this.#apply();
  }

  zoom(factor: number): void {
    const { width, height } = this.#pixels();
    this.#zoomAt(factor, width / 2, height / 2);
  }

  /** Centres `node`. */
  centre(node: SVGGElement | null): void {
    if (!node) return;
    const [frame, box] = [this.svg.getBoundingClientRect(), node.getBoundingClientRect()];
    this.#x += (box.x + box.width / 2 - frame.x - frame.width / 2) * this.#scale;
    this.#y += (box.y + box.height / 2 - frame.y - frame.height / 2) * this.#scale;
    this.#apply();
  }

  #pixels(): { width: number; height: number } {
    return { width: this.svg.clientWidth || 800, height: this.svg.clientHeight || 500 };
  }

  #zoomAt(factor: number, x: number, y: number): void {
    const scale = Math.min(max * Math.max(1, this.#height / 1000), Math.max(0.25, this.#scale * factor));
    this.#x += x * (this.#scale - scale);
    this.#y += y * (this.#scale - scale);
    this.#scale = scale;
    this.#apply();
  }

  #wheel(event: WheelEvent): void {
    // Without a modifier key the page scrolls, as users expect.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.#zoomAt(Math.exp(event.deltaY / 300), event.offsetX, event.offsetY);
  }

  /** When the window becomes narrower or wider, keeps scale and centre. */
  #resize(): void {
    const { width } = this.#pixels();
    this.#x += ((this.#seen - width) / 2) * this.#scale;
    this.#apply();
  }

  #down(event: PointerEvent): void {
    this.#moved = 0;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const [other] = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    this.#moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    this.#pointers.set(event.pointerId, now);
    if (other) {
      const frame = this.svg.getBoundingClientRect();
      const spread = (at: typeof now) => Math.hypot(at.x - other.x, at.y - other.y) || 1;
      this.#zoomAt(spread(before) / spread(now), other.x - frame.x, other.y - frame.y);
      return;
    }
    this.#x -= (now.x - before.x) * this.#scale;
    this.#y -= (now.y - before.y) * this.#scale;
    this.#apply();
  }

  #apply(): void {
    const { width, height } = this.#pixels();
    this.#seen = width;
    this.svg.setAttribute('viewBox', `${this.#x} ${this.#y} ${width * this.#scale} ${height * this.#scale}`);
  }
}
