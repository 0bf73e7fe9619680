// Workers in files of their own, loaded in parts: the default, one script, would hold everything that may be loaded later.
export default { worker: { format: 'es' } };
