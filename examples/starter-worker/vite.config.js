// A worker loads its modules on demand. By default it is one script, with everything that may be needed later.
export default { worker: { format: 'es' } };
