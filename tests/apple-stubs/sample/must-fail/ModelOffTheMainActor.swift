// Only the main actor may ask the model. If this compiles, the check sees nothing. What it must say:
// error: main actor-isolated property 'cluster' can not be referenced
import SampleModels

func headline(of model: SampleModel) -> String { model.cluster.standing.headline }
