import { useEffect, useState } from 'react';
import { train } from './train.js';

export function App() {
  const [status, setStatus] = useState('Opening the GPU …');

  // Strict mode mounts twice in development: a training whose component is gone ends at its next epoch.
  useEffect(() => {
    let isMounted = true;
    const say = (words) => isMounted && setStatus(words);
    train((epoch, loss) => {
      say(`Epoch ${epoch + 1}, loss ${loss.toFixed(3)}`);
      return isMounted;
    }).then(
      (accuracy) => say(`Trained: accuracy ${accuracy.toFixed(2)}`),
      (error) => say(error.message),
    );
    return () => {
      isMounted = false;
    };
  }, []);

  return (
    <>
      <h1>My model</h1>
      <p role="status" id="status">
        {status}
      </p>
    </>
  );
}
