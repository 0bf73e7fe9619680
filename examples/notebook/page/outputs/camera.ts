/** @file A camera as a source of pictures: its view is shown until a picture is taken. Nothing leaves the page. */
import { element } from '../element.ts';

/** A button that opens the camera, and its picture; null if the browser offers none. `take` receives the picture. */
export function cameraSource(take: (picture: File) => void): HTMLElement | null {
  const { mediaDevices } = navigator;
  if (typeof mediaDevices?.getUserMedia !== 'function') return null;
  const open = element('button', { type: 'button' }, 'Use the camera');
  const shutter = element('button', { type: 'button', class: 'primary' }, 'Take the picture');
  const close = element('button', { type: 'button', class: 'quiet' }, 'Close the camera');
  const video = element('video', { playsinline: true, muted: true, 'aria-label': 'What the camera sees' });
  const said = element('span', { class: 'caption', role: 'status' });
  const finder = element('div', { class: 'finder' }, video, shutter, close);
  const show = (isOpen: boolean) => {
    open.hidden = isOpen;
    finder.hidden = !isOpen;
  };
  const stop = () => {
    for (const track of (video.srcObject as MediaStream | null)?.getTracks() ?? []) track.stop();
    video.srcObject = null;
    show(false);
  };
  open.addEventListener('click', async () => {
    said.textContent = '';
    try {
      video.srcObject = await mediaDevices.getUserMedia({ video: { width: { ideal: 640 } } });
      show(true);
      await video.play();
      shutter.focus();
    } catch (error) {
      stop();
      said.textContent = `The camera can't be used: ${(error as Error).message}`;
    }
  });
  shutter.addEventListener('click', async () => {
    const picture = await squareOf(video);
    stop();
    open.focus();
    if (picture) take(picture);
  });
  close.addEventListener('click', stop);
  show(false);
  return element('div', { class: 'camera' }, open, said, finder);
}

/** The central square of the picture in `video`, as a file. */
function squareOf(video: HTMLVideoElement): Promise<File | null> {
  const { videoWidth: width, videoHeight: height } = video;
  const size = Math.min(width, height);
  if (size === 0) return Promise.resolve(null);
  const canvas = element('canvas', { width: size, height: size });
  canvas.getContext('2d')?.drawImage(video, (size - width) / 2, (size - height) / 2);
  return new Promise((resolve) =>
    canvas.toBlob((blob) => resolve(blob && new File([blob], 'From the camera', { type: blob.type }))),
  );
}
